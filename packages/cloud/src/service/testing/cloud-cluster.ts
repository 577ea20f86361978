import { type Event, events, type Service, services } from "@pilothouse/api/core/v1"
import type { Clock } from "@pilothouse/seams"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import { MemoryCloud } from "../../memory/memory-cloud.ts"
import { memoryProvider } from "../../memory/provider.ts"
import { serviceController } from "../controller.ts"

export interface CloudCluster extends AsyncDisposable {
  readonly running: Cluster
  readonly cloud: MemoryCloud
  service(name?: string): Promise<Service>
  /** "Normal EnsuredLoadBalancer: Ensured load balancer", in the order they were told. */
  events(name?: string): Promise<readonly string[]>
  /** The calls that reached the cloud since the last time they were asked for: "ensure default/web". */
  calls(): readonly string[]
}

export interface CloudClusterOptions extends Omit<ClusterOptions, "extra" | "controllers"> {
  readonly concurrentSyncs?: number
}

/** A cluster with only the service controller on a cloud that is only remembered. The cloud survives a restart of the loops. */
export async function cloudCluster({ concurrentSyncs, ...options }: CloudClusterOptions = {}): Promise<CloudCluster> {
  const made: { cloud?: MemoryCloud } = {}
  const extra = (clock: Clock) => {
    made.cloud ??= new MemoryCloud({ clock })
    return [serviceController({ balancers: memoryProvider({ cloud: made.cloud }).loadBalancers!, clock, concurrentSyncs })]
  }
  const running = await cluster({ controllers: [], ...options, extra })
  const cloud = made.cloud!
  let seen = 0
  return {
    running,
    cloud,
    service: (name = "web") => running.client.get(services, `default/${name}`),
    events: async (name = "web") => describeEvents(await running.list(events, { namespace: "default" }), name),
    calls: () => cloud.calls.slice(seen, (seen = cloud.calls.length)).map(({ verb, about }) => `${verb} ${about}`),
    [Symbol.asyncDispose]: () => running.close(),
  }
}

function describeEvents(all: readonly Event[], name: string): readonly string[] {
  return all
    .filter((event) => event.involvedObject.name === name && event.involvedObject.kind === "Service")
    .sort((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion))
    .map(({ type, reason, message, count = 1 }) => `${type} ${reason}: ${message}${count > 1 ? ` (x${count})` : ""}`)
}

export function newService(spec: Partial<NonNullable<Service["spec"]>> = {}, name = "web"): Service {
  const ports = [{ port: 80, protocol: "TCP" as const, targetPort: 8080 }]
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { type: "LoadBalancer", selector: { app: name }, ports, ...spec },
  }
}
