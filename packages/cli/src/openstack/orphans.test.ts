import { type Pod, pods } from "@pilothouse/api/core/v1"
import { kuryr } from "@pilothouse/openstack"
import { seededRandom } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { orphans } from "./orphans.ts"
import { testCloud } from "./testing/cloud.ts"

async function stage() {
  const { clock: _, embedded, cloud, configuration, signal } = testCloud()
  const made = await cluster({ nodes: 0, controllers: [] })
  const { drivers } = kuryr({ cloud, configuration, cluster: "one", clock: made.clock, random: seededRandom(1), dryRun: true })
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default" },
    spec: { containers: [{ name: "web", image: "web" }] },
  }
  const { uid = "" } = (await made.apply(pod)).metadata
  const { podNetwork, podSubnet, podSecurityGroup, project } = embedded.seed
  const portRequest = { node: "node1", hostIp: "", project, network: podNetwork, subnets: [podSubnet], groups: [podSecurityGroup] }
  const owned = (of: string, name: string) => ({ ...portRequest, pod: { uid: of, namespace: "default", name } })
  await drivers.pods.driver.create([owned(uid, "web"), owned("gone-uid", "gone")], signal)
  const said: string[] = []
  const run = (more: { delete: boolean; grace: number }) =>
    orphans({
      ...more,
      client: made.client,
      cloud,
      driver: drivers.pods.driver,
      cluster: "one",
      project,
      clock: made.clock,
      signal,
      print: (line) => void said.push(line),
    })
  const names = () =>
    [...embedded.neutron.ports.values()].filter(({ device_owner }) => device_owner === "compute:kuryr").map(({ name }) => name)
  const more = (...left: readonly string[]) =>
    drivers.pods.driver.create(
      left.map((name) => owned(`${name}-uid`, name)),
      signal,
    )
  return { made, run, said, names, more, embedded, [Symbol.asyncDispose]: () => made.close() }
}

test("lists orphans, and removes them only on request", async () => {
  await using it = await stage()
  await it.run({ delete: false, grace: 0 })
  expect(it.said.join("\n")).toMatch(
    /^KIND +NAME +ID +MADE FOR\nport +gone +\S+ +gone-uid, which is gone\nNothing was removed: --delete removes them\.$/,
  )
  expect(it.names()).toEqual(["web", "gone"])
})

test("with --delete it goes after the grace time, and what has an owner stays", async () => {
  await using it = await stage()
  const removing = it.run({ delete: true, grace: 60_000 })
  await it.made.advance("59s")
  expect(it.names()).toEqual(["web", "gone"])
  await it.made.advance("2s")
  expect((await removing).map(({ name }) => name)).toEqual(["gone"])
  expect(it.names()).toEqual(["web"])
})

test("a second run finds nothing more to do", async () => {
  await using it = await stage()
  await it.run({ delete: true, grace: 0 })
  it.said.length = 0
  await it.run({ delete: true, grace: 0 })
  expect(it.said).toEqual(["Nothing in the cloud is without an owner."])
  expect((await it.made.list(pods)).length).toBe(1)
})

test("one that cannot be removed does not keep the others, and is reported", async () => {
  await using it = await stage()
  const [stuck] = await it.more("stuck", "last")
  it.embedded.fault = ({ verb, path }) => (verb === "DELETE" && path.endsWith(stuck!.port.id) ? { status: 409 } : undefined)
  await expect(it.run({ delete: true, grace: 0 })).rejects.toThrow(/expected to remove 3, found that 1 could not be removed/)
  expect(it.said.filter((line) => line.startsWith("could not remove"))).toEqual([
    expect.stringMatching(/^could not remove the port stuck \(\S+\): DELETE \/v2\.0\/ports\/\S+ answered 409/),
  ])
  expect(it.names()).toEqual(["web", "stuck"])
})
