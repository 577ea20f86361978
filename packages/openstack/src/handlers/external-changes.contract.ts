import { events, services } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { markedOwner } from "../drivers/creation/cluster-marks.ts"
import { balancersGone, listBalancers, sameAsCloud } from "./testing/balancers.ts"
import {
  changes,
  endpointsIn,
  type HandlersSubject,
  listPorts,
  type MakeHandlers,
  podIn,
  served,
  serviceIn,
  stateOn,
  untilActive,
  untilMembers,
} from "./testing/subject.ts"

const only = { kubernetes: { enabled_handlers: "lbaasspec,lb" } }
const target = [{ port: 8080 }]

/** What others do to the cloud, and what is left when the process is killed. */
export function externalChangesContract(name: string, make: MakeHandlers): void {
  describe(`Services as load balancers, and others at work: ${name}`, () => {
    externalChanges(make)
    crashes(make)
  })
}

function externalChanges(make: MakeHandlers): void {
  test("one that another client deleted is created again after the next start, and one that kuryr left is adopted by name and address, and marked", async () => {
    await using run = await make({ sections: only })
    const { spec } = await run.cluster.apply(serviceIn("web"))
    await run.cluster.apply(endpointsIn("web", 1, target))
    await untilMembers(run, "web", 1)
    const [before] = await listBalancers(run)
    await run.cloud.octavia.loadBalancers.delete(before?.id ?? "", { cascade: true })
    await run.until(async () => (await run.cloud.octavia.loadBalancers.find(before?.id ?? "")) === undefined)
    const left = { name: `${served}/web`, vip_subnet_id: run.serviceSubnet, vip_address: spec?.clusterIP, project_id: run.project }
    const { id } = await run.cloud.octavia.loadBalancers.create(left)
    await run.cluster.restartControllers()
    await run.until(async () => (await stateOn(run, "web"))?.loadbalancer?.id === id && (await stateOn(run, "web"))?.members.length === 1)
    // It is marked with its owner, so that a later process finds it.
    await run.until(async () => (await listBalancers(run)).some((one) => one.id === id && markedOwner(one) !== undefined))
    await run.cluster.client.delete(services, `${served}/web`)
    await run.until(async () => (await run.cloud.octavia.loadBalancers.find(id)) === undefined)
  })

  test("an address that is in use: an event on that Service, and the other one is served", async () => {
    await using run = await make({ sections: only })
    const { network_id } = await run.cloud.neutron.subnets.get(run.serviceSubnet)
    const { spec } = await run.cluster.apply(serviceIn("first", { ports: [{ port: 1, protocol: "TCP" }] }))
    await run.until(async () => (await listBalancers(run)).length === 1)
    await run.cluster.client.delete(services, `${served}/first`)
    await balancersGone(run)
    const fixed_ips = [{ subnet_id: run.serviceSubnet, ip_address: spec?.clusterIP ?? "" }]
    const machine = await run.cloud.neutron.ports.create({ network_id, name: "a virtual machine", fixed_ips })
    try {
      await run.cluster.apply(serviceIn("taken", { clusterIP: spec?.clusterIP }))
      await run.cluster.apply(serviceIn("web"))
      await run.cluster.apply(endpointsIn("web", 1, target))
      await untilMembers(run, "web", 1)
      const reported = async () =>
        (await run.cluster.list(events, { namespace: served })).filter(({ reason }) => reason === "KuryrLoadBalancerFailed")
      await run.until(async () => (await reported()).length > 0)
      expect(new Set((await reported()).map(({ involvedObject }) => involvedObject.name))).toEqual(new Set(["taken"]))
      expect((await reported())[0]?.message).toContain(spec?.clusterIP)
    } finally {
      await run.cloud.neutron.ports.delete(machine.id)
    }
  })

  test("two clusters in one project: neither touches what is the other's", async () => {
    await using one = await make()
    await using two = await make()
    for (const [run, clusterIP] of [
      [one, "10.96.3.3"],
      [two, "10.96.4.4"],
    ] as const) {
      await run.cluster.apply(podIn("web-1"))
      await run.cluster.apply(serviceIn("web", { clusterIP }))
      await run.cluster.apply(endpointsIn("web", 1, target))
    }
    for (const run of [one, two]) {
      await untilActive(run, "web-1")
      await untilMembers(run, "web", 1)
    }
    const mine = async (run: HandlersSubject) => (await listBalancers(run)).map(({ id }) => id)
    const before = await mine(one)
    await two.cluster.restartControllers()
    await two.cluster.client.delete(services, `${served}/web`)
    await balancersGone(two)
    expect(await mine(one)).toEqual(before)
    expect(before).toHaveLength(1)
  })
}

function crashes(make: MakeHandlers): void {
  test("killed while a port, and while a load balancer is made: after the next start there is one of each", async () => {
    await using run = await make()
    const asked = (call: string) => run.until(async () => changes(run, "/v2").includes(call))
    await run.cluster.apply(podIn("web-1"))
    await asked("POST /v2.0/ports")
    await run.cluster.restartControllers()
    await untilActive(run, "web-1")
    await run.cluster.apply(serviceIn("web"))
    await run.cluster.apply(endpointsIn("web", 1, target))
    await asked("POST /v2/lbaas/loadbalancers")
    await run.cluster.restartControllers()
    await untilMembers(run, "web", 1)
    await sameAsCloud(run, "web")
    await run.until(async () => (await listPorts(run)).length === 1)
    expect(await listBalancers(run)).toHaveLength(1)
  })
}
