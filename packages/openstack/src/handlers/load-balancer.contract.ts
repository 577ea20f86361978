import { endpoints, pods, type Service, services } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { isOfCluster } from "../drivers/creation/cluster-marks.ts"
import { decodeServiceSpec } from "../versioned-objects/annotations.ts"
import { specAnnotation } from "./annotations.ts"
import { balancersGone, listBalancers, objectRef, sameAsCloud } from "./testing/balancers.ts"
import {
  changes,
  endpointsIn,
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

/** What Services get from whatever cloud there is. */
export function loadBalancerHandlerContract(name: string, make: MakeHandlers): void {
  describe(`Services as load balancers: ${name}`, () => {
    wholeLife(make)
    outside(make)
  })
}

function wholeLife(make: MakeHandlers): void {
  test("a Service with 3 ports and 20 members through its whole life: one POST, one PUT for each pool that changes, nothing left", async () => {
    await using run = await make({ sections: only })
    const ports = [
      { name: "http", port: 80, targetPort: 8080, protocol: "TCP" },
      { name: "alt", port: 81, targetPort: 8080, protocol: "TCP" },
      { name: "dns", port: 53, targetPort: 5353, protocol: "UDP" },
    ]
    const targets = [
      { name: "http", port: 8080 },
      { name: "alt", port: 8080 },
      { name: "dns", port: 5353, protocol: "UDP" as const },
    ]
    const { spec } = await run.cluster.apply(serviceIn("web", { ports } as Partial<Service["spec"]>))
    await run.cluster.apply(endpointsIn("web", 20, targets))
    await untilMembers(run, "web", 60)
    const state = await stateOn(run, "web")
    expect(state?.loadbalancer).toMatchObject({ name: `${served}/web`, ip: spec?.clusterIP })
    expect(state?.listeners.map((one) => one.name).sort()).toEqual([`${served}/web:TCP:80`, `${served}/web:TCP:81`, `${served}/web:UDP:53`])
    expect(state?.members.filter((one) => one.name === `${served}/web-0:8080`)).toHaveLength(2)
    await sameAsCloud(run, "web")
    const its = await run.cluster.client.get(endpoints, `${served}/web`)
    expect(decodeServiceSpec(its.metadata.annotations?.[specAnnotation] ?? "")).toMatchObject({ ip: spec?.clusterIP })

    await run.cluster.apply(endpointsIn("web", 10, targets))
    await untilMembers(run, "web", 30)
    await sameAsCloud(run, "web")
    const puts = changes(run, "/v2/lbaas").filter((call) => call.startsWith("PUT"))
    expect(puts).toHaveLength(3)

    await run.cluster.client.patch(services, objectRef("web"), { spec: { ports: ports.slice(0, 2) } })
    await run.cluster.apply(endpointsIn("web", 10, targets.slice(0, 2)))
    await untilMembers(run, "web", 20)
    await sameAsCloud(run, "web")
    expect((await stateOn(run, "web"))?.loadbalancer?.id).toBe(state?.loadbalancer?.id)

    await run.cluster.apply(endpointsIn("web", 0, []))
    await untilMembers(run, "web", 0)
    await run.cluster.client.delete(services, `${served}/web`)
    await balancersGone(run)
    expect(changes(run, "/v2/lbaas").filter((call) => call === "POST /v2/lbaas/loadbalancers")).toHaveLength(1)
  })

  test.each(["endpoints", "endpointslices"] as const)(
    "members are the pods that a selector finds, from %s, named as kuryr names them",
    async (source) => {
      await using run = await make({ source })
      await run.cluster.apply(podIn("web-1"))
      await untilActive(run, "web-1")
      const ip = (await listPorts(run))[0]?.fixed_ips[0]?.ip_address
      const status = { phase: "Running", podIP: ip, podIPs: [{ ip }], conditions: [{ type: "Ready", status: "True" }] }
      await run.cluster.client.patch(pods, objectRef("web-1", "Pod"), { status }, { subresource: "status" })
      await run.cluster.apply(serviceIn("web", { selector: { app: "web" } }))
      await untilMembers(run, "web", 1)
      expect((await stateOn(run, "web"))?.members).toMatchObject([{ name: `${served}/web-1:8080`, ip, port: 8080 }])
      await sameAsCloud(run, "web")
    },
  )
}

function outside(make: MakeHandlers): void {
  test("type LoadBalancer: a floating IP in its status, affinity and source ranges in the cloud; all of it goes before the Service goes", async () => {
    await using run = await make({ sections: only })
    const spec = { type: "LoadBalancer", sessionAffinity: "ClientIP", loadBalancerSourceRanges: ["10.0.0.0/8"] } as const
    await run.cluster.apply(serviceIn("web", spec))
    await run.cluster.apply(endpointsIn("web", 1, target))
    const service = () => run.cluster.client.get(services, `${served}/web`)
    await run.until(async () => (await service()).status?.loadBalancer?.ingress !== undefined)
    const { status, metadata } = await service()
    const floating = async () => (await run.cloud.neutron.floatingIps.list()).filter((one) => isOfCluster(one, run.clusterMarks))
    expect(status?.loadBalancer?.ingress).toMatchObject([{ ip: (await floating())[0]?.floating_ip_address }])
    expect(metadata.finalizers).toContain("service.kubernetes.io/load-balancer-cleanup")
    const balancer = (await listBalancers(run))[0]?.id ?? ""
    const [listener] = await run.cloud.octavia.listeners.list({ loadbalancer_id: balancer })
    const [pool] = await run.cloud.octavia.pools.list({ loadbalancer_id: balancer })
    expect([listener?.allowed_cidrs, pool?.session_persistence?.type]).toEqual([["10.0.0.0/8"], "SOURCE_IP"])
    await run.cluster.client.delete(services, `${served}/web`)
    await balancersGone(run)
    await run.until(async () => (await floating()).length === 0)
    await run.until(async () => (await run.cluster.list(services, { namespace: served })).length === 0)
  })

  test("the security groups of the configuration are on the address of the load balancer", async () => {
    await using run = await make({ sections: only })
    await run.cluster.apply(serviceIn("web"))
    await run.cluster.apply(endpointsIn("web", 1, target))
    await untilMembers(run, "web", 1)
    const its = await run.cluster.client.get(endpoints, `${served}/web`)
    const groups = decodeServiceSpec(its.metadata.annotations?.[specAnnotation] ?? "").security_groups_ids ?? []
    expect(groups).not.toEqual([])
    const port = (await listBalancers(run))[0]?.vip_port_id ?? ""
    expect((await run.cloud.neutron.ports.get(port)).security_groups).toEqual(expect.arrayContaining([...groups]))
  })
}
