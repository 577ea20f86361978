import { pods } from "@pilothouse/api/core/v1"
import { silentLog, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { openStack } from "../../clients/cloud.ts"
import type { Port } from "../../clients/neutron/types.ts"
import { vifAnnotation } from "../../handlers/annotations.ts"
import { podPorts, podVif, testCluster, testPod } from "../../handlers/testing/cluster.ts"
import { markDescription } from "../creation/cluster-marks.ts"
import { spareName } from "../vif/pod-vif.ts"
import { DuplicatePorts } from "./duplicate-ports.ts"

test.each([
  ["at once", "0s"],
  ["four minutes later, on a slow cloud", "4m"],
] as const)("a port that a killed process had asked for and that came about %s: it goes, the pod keeps the other one", async (_, later) => {
  await using run = await testCluster()
  await run.cluster.apply(testPod("web-1"))
  await run.cluster.until(async () => (await podVif(run, "web-1"))?.active === true)
  const { uid } = (await run.cluster.client.get(pods, "default/web-1")).metadata
  const { neutron } = openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
  const { podNetwork: network_id } = run.cloud.seed
  const description = markDescription({ cluster: "cluster-one" }, uid)
  await run.cluster.advance(later)
  await neutron.ports.create({ network_id, name: "web-1", device_owner: "compute:kuryr", device_id: uid, description })
  await run.cluster.advance("90s")
  expect(podPorts(run).map(({ id }) => id)).toEqual([(await podVif(run, "web-1"))?.id])
})

test("keeps a port that the annotation of its pod names, though another is known: the previous leader wrote it", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testPod("web-1"))
  await run.cluster.until(async () => (await podVif(run, "web-1"))?.active === true)
  const { uid, annotations } = (await run.cluster.client.get(pods, "default/web-1")).metadata
  const { neutron } = openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
  const { podNetwork: network_id } = run.cloud.seed
  const description = markDescription({ cluster: "cluster-one" }, uid)
  const { id } = await neutron.ports.create({ network_id, name: "web-1", device_owner: "compute:kuryr", device_id: uid, description })
  const text = annotations![vifAnnotation]!.replaceAll((await podVif(run, "web-1"))!.id, id)
  const change = { metadata: { annotations: { [vifAnnotation]: text } } }
  await run.cluster.client.patch(pods, { metadata: { namespace: "default", name: "web-1" } }, change)
  await run.cluster.advance("6m")
  expect(podPorts(run).map((port) => port.id)).toContain(id)
  await run.cluster.client.delete(pods, "default/web-1", { gracePeriodSeconds: 0 })
  await run.cluster.advance("20m")
  expect(podPorts(run)).toEqual([])
})

describe("what a list of all ports says, and what is known before it was asked for and when it came", () => {
  const clusterMarks = { cluster: "one" }
  const named = (id: string, name: string, owner?: string) => ({
    port: { id, name, description: markDescription(clusterMarks, owner) } as Port,
  })
  const listed = [named("its", "web", "web"), named("second", "web", "web"), named("spare", spareName)]

  /** The surplus ports, and the number of lists, for ports that are known, or may be in use, before and after. */
  async function judged(
    moments: readonly { readonly has?: readonly string[]; readonly mayHave?: readonly string[] }[],
    after = 20_000,
    failures = 0,
  ) {
    const clock = new VirtualClock()
    let [asked, lists] = [0, 0]
    const duplicates = new DuplicatePorts({
      clusterMarks,
      clock,
      log: silentLog,
      driver: {
        list: async () => {
          if (++lists <= failures) throw new Error("Neutron is away")
          return listed
        },
      },
      podPort: (uid) => (uid === "web" ? listed[0] : undefined),
      known: () => {
        const { has = [], mayHave = [] } = moments[asked++ % moments.length] ?? {}
        return { has: ({ port }) => ["its", ...has].includes(port.id), mayHave: ({ port }) => mayHave.includes(port.id) }
      },
      annotated: () => new Set(),
    })
    duplicates.suspect()
    const found = new Set<string>()
    for (let time = 0; time < after; time += 20_000) {
      await clock.advance("20s")
      for (const { port } of await duplicates.found(new AbortController().signal)) found.add(port.id)
    }
    return { found: [...found], looks: lists }
  }

  test.each([
    ["they are not in use", [{}], ["second", "spare"]],
    ["they were assigned during the list", [{}, { has: ["second", "spare"] }], []],
    ["they were in use, and are being released", [{ has: ["second", "spare"] }, {}], []],
    ["more are made there, and were not answered when it was asked for", [{ mayHave: ["second", "spare"] }, {}], []],
    ["more are made there since", [{}, { mayHave: ["second", "spare"] }], []],
    ["spare ones are made on one host", [{ mayHave: ["spare"] }], ["second"]],
  ] as const)("%s", async (_, moments, expected) => {
    expect((await judged(moments)).found).toEqual(expected)
  })

  test("where all looks have failed there are more", async () => {
    expect(await judged([{}], 1_200_000, 4)).toMatchObject({ found: ["second", "spare"] })
  })

  test("where something cannot be judged it is looked at again, every two minutes and not at every beat", async () => {
    expect((await judged([{}], 1_200_000)).looks).toBe(4)
    const { looks: lists } = await judged([{ mayHave: ["spare"] }], 1_200_000)
    expect([lists > 8, lists <= 12]).toEqual([true, true])
  })
})
