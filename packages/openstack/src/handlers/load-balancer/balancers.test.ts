import { services } from "@pilothouse/api/core/v1"
import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { OpenStack } from "../../clients/cloud.ts"
import { testCluster, testService } from "../testing/cluster.ts"
import { Balancers } from "./balancers.ts"

const { signal } = new AbortController()
const web = { uid: "web-uid", name: "default/web" }

/** Of a cloud that has one load balancer, or none. */
function balancersOn(cloud: { there: boolean }) {
  const only = { id: "one", vip_port_id: "port", provisioning_status: "ACTIVE", listeners: [], pools: [] }
  const octavia = { loadBalancers: { find: async () => (cloud.there ? only : undefined), list: async () => [] } }
  const neutron = { ports: { list: async () => [{ security_groups: ["own"] }] }, floatingIps: { list: async () => [] } }
  const clients = { octavia, neutron } as unknown as Pick<OpenStack, "neutron" | "octavia">
  return new Balancers({ cloud: clients, clusterMarks: { cluster: "one" }, project: "project", clock: new VirtualClock() })
}

for (const [how, end] of [
  ["it was removed", async (balancers: Balancers) => balancers.gone("one")],
  [
    "it is found to be gone",
    async (balancers: Balancers, cloud: { there: boolean }) => {
      cloud.there = false
      expect(await balancers.find(web, signal)).toBeUndefined()
      cloud.there = true
    },
  ],
] as const)
  test(`that a provider keeps the groups of a load balancer and its marks to itself is forgotten with it: ${how}`, async () => {
    const cloud = { there: true }
    const balancers = balancersOn(cloud)
    balancers.made(web.uid, "one")
    expect((await balancers.find(web, signal))?.groups).toEqual(["own"])
    balancers.leaveGroups("one")
    balancers.leaveUnmarked("one")
    expect(await balancers.find(web, signal)).toMatchObject({ groups: undefined, unmarked: [] })
    await end(balancers, cloud)
    expect(await balancers.find(web, signal)).toBeUndefined()
    balancers.made(web.uid, "one")
    expect(await balancers.find(web, signal)).toMatchObject({ groups: ["own"], unmarked: [{ kind: "load balancer" }] })
  })

test("one that was found though its answer never came is waited for no more: another may be made when it breaks, and its Service may go", async () => {
  const balancers = balancersOn({ there: true })
  balancers.inFlight(web.uid, new Error("no answer"))
  expect(balancers.waitReason(web.uid)?.message).toBe("no answer")
  expect(() => balancers.throwIfInFlight(web.uid)).toThrow("no answer")
  balancers.made(web.uid, "one")
  await balancers.find(web, signal)
  expect(balancers.waitReason(web.uid)).toBeUndefined()
  balancers.throwIfInFlight(web.uid)
})

test("keeps nothing of a Service deleted with its load balancer, and does not read it again", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testService("web"))
  const { uid = "" } = (await run.cluster.client.get(services, "default/web")).metadata
  const { balancers } = run.kuryr()
  await run.cluster.until(async () => [...run.cloud.octavia.balancers.rows.values()].some(({ name }) => name === "default/web"))
  await run.cluster.advance("20s")
  expect(await balancers.find({ uid, name: "default/web" }, signal)).toBeDefined()
  await run.cluster.client.delete(services, "default/web")
  await run.cluster.advance("20s")
  const before = run.cloud.calls.length
  expect(await balancers.find({ uid, name: "default/web" }, signal)).toBeUndefined()
  expect(run.cloud.calls.slice(before)).toEqual([])
})
