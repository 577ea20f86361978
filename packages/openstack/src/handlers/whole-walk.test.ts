import { deployments } from "@pilothouse/api/apps/v1"
import { endpoints, type Pod, pods, type Service, services } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { podAddress } from "./pod-address.ts"
import { podPorts, type TestCluster, testCluster, testService } from "./testing/cluster.ts"

/** A whole cluster: every controller, a scheduler, kubelets that wait for their pods' VIFs. */
function wholeCluster(): Promise<TestCluster> {
  return testCluster({ cluster: { nodes: 3, controllers: ["*"], network: podAddress } })
}

const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "example/web:1", ports: [{ name: "http", containerPort: 8080 }] }] },
    },
  },
}

const ports = [
  { name: "http", port: 80, targetPort: "http", protocol: "TCP" },
  { name: "metrics", port: 9090, targetPort: 9090, protocol: "TCP" },
] as NonNullable<Service["spec"]>["ports"]

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true
}

async function ready(run: TestCluster, count: number): Promise<readonly Pod[]> {
  await run.cluster.until(async () => (await run.cluster.list(pods)).filter(isReady).length === count)
  return run.cluster.list(pods)
}

/** What the cloud has that was made for the cluster, but for the API server's own Service, which cannot be deleted. */
function left({ cloud }: TestCluster) {
  const balancers = [...cloud.octavia.balancers.rows.values()].filter(({ name }) => name !== "default/kubernetes")
  const theirs = new Set(balancers.map(({ id }) => id))
  const kept = [...cloud.octavia.balancers.rows.values()].filter(({ id }) => !theirs.has(id)).map(({ id }) => id)
  return {
    ports: podPorts({ cloud }).length,
    balancers: balancers.length,
    listeners: cloud.octavia.listeners.where(({ balancer }) => !kept.includes(balancer)).length,
    pools: cloud.octavia.pools.where(({ balancer }) => !kept.includes(balancer)).length,
    vips: [...cloud.neutron.ports.values()].filter(({ device_id }) => device_id.startsWith("lb-") && !kept.includes(device_id.slice(3)))
      .length,
    groups: [...cloud.neutron.securityGroups.values()].filter(({ name }) => name.startsWith("lb-") && !kept.includes(name.slice(3))).length,
    floating: cloud.neutron.floatingIps.size,
  }
}

test("a Deployment of 3 and a Service with two ports of type LoadBalancer; all of it deleted: nothing is left in the cloud", async () => {
  await using run = await wholeCluster()
  await run.cluster.apply(web as never)
  const there = await ready(run, 3)
  const addresses = podPorts(run).map(({ fixed_ips }) => fixed_ips[0]?.ip_address)
  expect(there.map(({ status }) => status?.podIP).sort()).toEqual(addresses.sort())
  await run.cluster.apply(testService("web", { type: "LoadBalancer", ports }))
  const service = () => run.cluster.client.get(services, "default/web")
  await run.cluster.until(async () => (await service()).status?.loadBalancer?.ingress !== undefined)
  expect((await service()).status?.loadBalancer?.ingress).toMatchObject([
    { ip: [...run.cloud.neutron.floatingIps.values()][0]?.floating_ip_address },
  ])
  expect(left(run)).toMatchObject({ ports: 3, balancers: 1, listeners: 2, pools: 2, floating: 1 })
  await run.cluster.client.delete(services, "default/web")
  await run.cluster.client.delete(deployments, "default/web", { propagationPolicy: "Background" })
  await run.cluster.until(async () => (await run.cluster.list(pods)).length === 0)
  await run.cluster.advance("1m")
  expect(left(run)).toEqual({ ports: 0, balancers: 0, listeners: 0, pools: 0, vips: 0, groups: 0, floating: 0 })
})

test("a pod is not Ready before its VIF is active, and has the address of its port", async () => {
  await using run = await wholeCluster()
  run.cloud.knobs.portDelay = "never"
  await run.cluster.apply({ ...web, spec: { ...web.spec, replicas: 1 } } as never)
  await run.cluster.advance("1m")
  const [waiting] = await run.cluster.list(pods)
  expect([podPorts(run).length, isReady(waiting!), waiting?.status?.podIP]).toEqual([1, false, undefined])
  const kubelets = run.cluster.trace.entries().filter(({ controller }) => controller === "simulated-kubelet")
  expect(kubelets.flatMap(({ plan }) => plan?.waitingFor ?? [])).toContainEqual(expect.stringContaining("is not active yet"))
})

test("a rolling update of a served Deployment ends with the new pods behind the load balancer, and their ports only", async () => {
  await using run = await wholeCluster()
  await run.cluster.apply(web as never)
  await ready(run, 3)
  await run.cluster.apply(testService("web", { ports }))
  await run.cluster.advance("30s")
  const template = structuredClone(web.spec.template)
  template.spec.containers[0]!.image = "example/web:2"
  await run.cluster.client.patch(deployments, { metadata: { namespace: "default", name: "web" } }, { spec: { template } })
  await run.cluster.advance("2m")
  const now = await ready(run, 3)
  const behind = (await run.cluster.client.get(endpoints, "default/web")).subsets
    ?.flatMap(({ addresses = [] }) => addresses)
    .map(({ ip }) => ip)
  expect(new Set(behind)).toEqual(new Set(now.map(({ status }) => status?.podIP)))
  expect(new Set(run.cloud.octavia.members.where(({ name }) => name.startsWith("default/web-")).map(({ address }) => address))).toEqual(
    new Set(behind),
  )
  expect(left(run).ports).toBe(3)
})
