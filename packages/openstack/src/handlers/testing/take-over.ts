import { readFileSync } from "node:fs"
import type { Endpoints } from "@pilothouse/api/core/v1"
import type { LoadBalancer } from "../../clients/octavia/types.ts"
import { decodeState } from "../../versioned-objects/annotations.ts"
import { specAnnotation, stateAnnotation } from "../annotations.ts"
import { type TestCluster, testService } from "./cluster.ts"
import { clients } from "./faults.ts"

/** The text of an annotation that the real kuryr wrote. */
export function written(name: string): string {
  const path = new URL(`../../versioned-objects/test-fixtures/${name}.json`, import.meta.url)
  return (JSON.parse(readFileSync(path, "utf8")) as { readonly text: string }).text
}

/** The same text about other objects. */
export function about(text: string, other: Readonly<Record<string, string>>): string {
  return Object.entries(other).reduce((made, [old, now]) => made.replaceAll(old, now), text)
}

const ip = "10.96.51.42"

/** The load balancer of default/sv1 with ten members as kuryr leaves it in the cloud, before the handlers start: by its names, and without a word about clusters. */
export async function kuryrsBalancer(run: TestCluster, tags?: readonly string[]): Promise<LoadBalancer> {
  const { octavia, polls } = clients(run)
  const { listeners, members } = decodeState(written("live-lbaas-state"))
  const subnet = run.cloud.serviceSubnet("10.96.0.0/12")
  const { name, port } = listeners[0]!
  const made = await octavia.loadBalancers.create({
    name: "default/sv1",
    vip_subnet_id: subnet,
    vip_address: ip,
    ...(tags && { tags }),
    listeners: [
      {
        name,
        protocol: "TCP",
        protocol_port: port,
        default_pool: {
          name,
          protocol: "TCP",
          lb_algorithm: "ROUND_ROBIN",
          members: members.map((one) => ({ name: one.name, address: one.ip, protocol_port: one.port, subnet_id: subnet })),
        },
      },
    ],
  })
  await run.cluster.advance("5s")
  await polls.untilActive(made.id)
  // The next process finds it.
  await run.cluster.restartControllers()
  return made
}

/** Its Service and Endpoints, as kuryr annotated them. */
export async function kuryrsService(
  run: TestCluster,
  balancer: LoadBalancer,
  type: "ClusterIP" | "LoadBalancer" = "ClusterIP",
): Promise<void> {
  const { loadbalancer, members } = decodeState(written("live-lbaas-state"))
  const others = {
    [loadbalancer!.id]: balancer.id,
    [loadbalancer!.ip]: ip,
    [loadbalancer!.subnet_id]: balancer.vip_subnet_id,
    [loadbalancer!.project_id]: run.cloud.seed.project,
    "8b147f08-e028-4e8b-a8a3-32b14c77bc0c": run.cloud.seed.podSecurityGroup,
  }
  const spec = about(written("live-lbaas-spec"), others)
  const state = about(written("live-lbaas-state"), others)
  const service = testService("sv1", { selector: undefined, clusterIP: ip, type })
  await run.cluster.apply({ ...service, metadata: { ...service.metadata, annotations: { [specAnnotation]: spec } } })
  const addresses = members.map(({ name, ip: address }) => ({
    ip: address,
    targetRef: { kind: "Pod", namespace: "default", name: name.replace(/^default\//, "").replace(/:\d+$/, "") },
  }))
  const subsets = [{ addresses, ports: [{ port: members[0]!.port, protocol: "TCP" as const }] }]
  const metadata = { name: "sv1", namespace: "default", annotations: { [specAnnotation]: spec, [stateAnnotation]: state } }
  await run.cluster.apply<Endpoints>({ apiVersion: "v1", kind: "Endpoints", metadata, subsets })
}

/** Changes of load balancers since that call, but those of default/kubernetes: "PUT listeners". */
export function balancerChanges(run: TestCluster, from: number): readonly string[] {
  return run.cloud.calls
    .slice(from)
    .filter(({ path, verb, body }) => path.includes("/lbaas/") && verb !== "GET" && !JSON.stringify(body ?? "").includes("kubernetes"))
    .map(({ verb, path }) => `${verb} ${path.split("/lbaas/")[1]?.split("/")[0]}`)
}
