import { type Service, services } from "@pilothouse/api/core/v1"
import { createCloudControllers } from "@pilothouse/cloud"
import { seededRandom } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import { openStackProvider } from "../cloud-provider/load-balancers.ts"
import { EmbeddedOpenStack } from "../embedded/embedded-open-stack.ts"
import { handlersOn, testCluster, testService } from "./testing/cluster.ts"

const ref = { apiVersion: "v1", kind: "Service", metadata: { namespace: "default", name: "web" } }

/** The handlers, and beside them the cloud's service controller with the Octavia provider, which starts when it is switched on. */
async function both() {
  let embedded: EmbeddedOpenStack | undefined
  let isOn = false
  const running = await cluster({
    nodes: 1,
    controllers: ["endpoint"],
    extra: (clock) => {
      embedded ??= new EmbeddedOpenStack({ clock, random: seededRandom(11) })
      const { seed } = embedded
      const cloud = openStack({ access: embedded.access(), connect: embedded.connect, clock })
      const settings = { subnetId: seed.nodeSubnet, floatingNetworkId: seed.publicNetwork }
      const provider = (clusterName: string) => openStackProvider({ cloud, clusterName, settings })
      const cloudControllers = isOn ? createCloudControllers({ provider, clock, select: ["service"] }).controllers : []
      return [...handlersOn(embedded, { clock }).controllers, ...cloudControllers]
    },
  })
  const trees = () => [...embedded!.octavia.balancers.rows.values()].map(({ name }) => name).filter((name) => name !== "default/kubernetes")
  const switchOn = async () => {
    isOn = true
    await running.restartControllers()
  }
  return { running, trees, switchOn, embedded: () => embedded!, [Symbol.asyncDispose]: () => running.close() }
}

test("the Octavia provider leaves a Service alone whose load balancer the handlers make: never two trees", async () => {
  await using it = await both()
  await it.running.apply(testService("web", { type: "LoadBalancer" }))
  await it.running.advance("10s")
  await it.switchOn()
  await it.running.advance("10m")
  expect(it.trees()).toEqual(["default/web"])
  await it.running.client.patch(services, ref, { spec: { ports: [{ port: 81, targetPort: 8080, protocol: "TCP" }] } })
  await it.running.advance("2m")
  expect(it.trees()).toEqual(["default/web"])
  expect(it.embedded().neutron.floatingIps.size).toBe(1)
})

test("a Service that goes while both run leaves nothing behind", async () => {
  await using it = await both()
  await it.running.apply(testService("web", { type: "LoadBalancer" }))
  await it.running.advance("10s")
  await it.switchOn()
  await it.running.advance("1m")
  await it.running.client.delete(services, "default/web")
  await it.running.advance("2m")
  expect([it.trees(), it.embedded().neutron.floatingIps.size]).toEqual([[], 0])
})

test("LoadBalancer → ClusterIP: the floating IP goes, and with it the status and the finalizer; the cluster IP is still served", async () => {
  await using run = await testCluster()
  const service = (): Promise<Service> => run.cluster.client.get(services, "default/web")
  await run.cluster.apply(testService("web", { type: "LoadBalancer" }))
  await run.cluster.until(async () => (await service()).status?.loadBalancer?.ingress !== undefined)
  await run.cluster.client.patch(services, ref, { spec: { type: "ClusterIP" } })
  await run.cluster.advance("20s")
  const { metadata, status } = await service()
  expect([metadata.finalizers ?? [], status?.loadBalancer?.ingress, run.cloud.neutron.floatingIps.size]).toEqual([[], undefined, 0])
  expect([...run.cloud.octavia.balancers.rows.values()].map(({ name }) => name)).toContain("default/web")
  await run.cluster.client.patch(services, ref, { spec: { type: "LoadBalancer" } })
  await run.cluster.until(async () => (await service()).status?.loadBalancer?.ingress !== undefined)
  expect((await service()).metadata.finalizers).toEqual(["service.kubernetes.io/load-balancer-cleanup"])
})

test("a Service with a class of another controller keeps what that one wrote", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testService("web", { type: "LoadBalancer", loadBalancerClass: "example.org/other" }))
  const status = { loadBalancer: { ingress: [{ ip: "203.0.113.9" }] } }
  await run.cluster.client.patch(services, ref, { status }, { subresource: "status" })
  await run.cluster.advance("1m")
  expect((await run.cluster.client.get(services, "default/web")).status?.loadBalancer?.ingress).toMatchObject([{ ip: "203.0.113.9" }])
  expect(run.cloud.neutron.floatingIps.size).toBe(0)
})
