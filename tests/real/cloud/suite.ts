// npm run test:real -- cloud: the cloud controllers against a real API server, on a cloud that is only remembered and on the loopback.

import { once } from "node:events"
import { createServer } from "node:net"
import type { Service } from "@pilothouse/api/core/v1"
import { LoopbackCloud, loopbackProvider, MemoryCloud, memoryProvider } from "@pilothouse/cloud"
import { systemClock } from "@pilothouse/seams/system"
import type { ApiClient } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { until } from "../kcm/until.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group } from "../tally.ts"
import { type RunningControllers, startCloudControllers } from "./controllers.ts"
import { newNode, newService, servicePath } from "./objects.ts"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

async function run({ tally }: SuiteContext): Promise<void> {
  await using plane = await startControlPlane()
  const { client } = plane
  const cloud = new MemoryCloud({ clock: systemClock })
  cloud.instances.set("n1", { name: "n1", providerId: "memory:///1", zone: "z", addresses: [{ type: "InternalIP", address: "10.9.0.1" }] })
  const start = () => startCloudControllers(plane.kubeconfig("admin"), () => memoryProvider({ cloud }))
  await client.send({ verb: "POST", path: "/api/v1/nodes", body: newNode("n1", "10.244.1.0/24") })
  const first = await start()
  await tally.group("a node and its route", (group) => judgeNode(group, client, cloud))
  await tally.group("a Service of type LoadBalancer", (group) => judgeService(group, client, cloud))
  await tally.group("a restart writes nothing", (group) => judgeRestart(group, client, cloud, first, start))
  await tally.group("a mapped port in the status", async (group) => {
    await using loopback = new LoopbackCloud({ clock: systemClock })
    await judgeMapping(group, client, loopback, plane.kubeconfig("admin"))
  })
}

async function judgeNode(group: Group, client: ApiClient, cloud: MemoryCloud): Promise<void> {
  const path = "/api/v1/nodes/n1"
  await until(group, client, {
    name: "it is initialised, addressed and reachable",
    path,
    when: ({ value }) => {
      const { spec, metadata, status } = value as ReturnType<typeof newNode>
      const isReachable = status?.conditions?.some(({ type, status: is }) => type === "NetworkUnavailable" && is === "False")
      const isAddressed = status?.addresses?.[0]?.address === "10.9.0.1"
      const isKnown = spec?.providerID === "memory:///1" && metadata.labels?.["topology.kubernetes.io/zone"] === "z"
      const isTainted = spec?.taints?.some(({ key }) => key.includes("cloudprovider"))
      return Boolean(isReachable && isAddressed && isKnown && !isTainted)
    },
  })
  group.case("its route is in the cloud", cloud.routes.size === 1 ? undefined : `found ${cloud.routes.size}`)
}

async function judgeService(group: Group, client: ApiClient, cloud: MemoryCloud): Promise<void> {
  for (const name of ["stays", "turns", "goes"]) await client.send({ verb: "POST", path: servicePath(), body: newService(name, 80) })
  for (const name of ["stays", "turns", "goes"])
    await until(group, client, {
      name: `${name} has an address`,
      path: servicePath(name),
      when: ({ value }) => addressOf(value) !== undefined,
    })
  await client.send({
    verb: "PATCH",
    path: servicePath("turns"),
    contentType: "application/merge-patch+json",
    body: { spec: { type: "ClusterIP" } },
  })
  await client.send({ verb: "DELETE", path: servicePath("goes") })
  await until(group, client, { name: "goes is gone", path: servicePath("goes"), when: ({ status }) => status === 404 })
  await until(group, client, {
    name: "turns has neither address nor finalizer",
    path: servicePath("turns"),
    when: ({ value }) => addressOf(value) === undefined && (value as Service).metadata.finalizers === undefined,
  })
  const left = [...cloud.balancers.values()].map(({ service }) => service)
  group.case("one balancer is left", left.join() === "default/stays" ? undefined : `found ${left.join()}`)
}

async function judgeRestart(
  group: Group,
  client: ApiClient,
  cloud: MemoryCloud,
  first: RunningControllers,
  start: () => Promise<RunningControllers>,
): Promise<void> {
  await first.stop()
  const version = async () => ((await client.send({ verb: "GET", path: servicePath("stays") })).value as Service).metadata.resourceVersion
  const [before, writes, calls] = [await version(), cloud.writes, cloud.calls.length]
  await using again = await start()
  await again.settled(() => cloud.calls.slice(calls).some(({ verb }) => verb === "ensure"))
  group.case("the Service is not written", (await version()) === before ? undefined : "it was")
  group.case("the cloud is not written", cloud.writes === writes ? undefined : `${cloud.writes - writes} times`)
}

async function judgeMapping(group: Group, client: ApiClient, cloud: LoopbackCloud, kubeconfig: string): Promise<void> {
  const address = "127.200.1.2"
  const other = createServer().listen(18_070, address)
  await once(other, "listening")
  await using _controllers = await startCloudControllers(kubeconfig, () => loopbackProvider({ cloud }), ["service"])
  await client.send({ verb: "POST", path: servicePath(), body: newService("mapped", 18_070, { loadBalancerIP: address }) })
  await until(group, client, {
    name: "it is shown",
    path: servicePath("mapped"),
    when: ({ value }) => (value as Service).status?.loadBalancer?.ingress?.[0]?.ports?.[0]?.error === "pilothouse.dev/PortMappedTo26070",
  })
  other.close()
}

function addressOf(value: unknown): string | undefined {
  return (value as Service).status?.loadBalancer?.ingress?.[0]?.ip
}
