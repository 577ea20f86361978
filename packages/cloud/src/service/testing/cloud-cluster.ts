import { type Event, events, type Service, services } from "@pilothouse/api/core/v1"
import type { Clock } from "@pilothouse/seams"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import { MemoryCloud } from "../../memory/memory-cloud.ts"
import { memoryProvider } from "../../memory/provider.ts"
import { serviceController } from "../controller.ts"

/** A running cluster with the service controller and its cloud. */
export interface CloudCluster extends AsyncDisposable {
  readonly running: Cluster
  readonly cloud: MemoryCloud
  service(name?: string): Promise<Service>
  /** "Normal EnsuredLoadBalancer: Ensured load balancer", in the order they were recorded. */
  events(name?: string): Promise<readonly string[]>
  /** The calls that reached the cloud since the last call of this method: "ensure default/web". */
  calls(): readonly string[]
}

/** Options of the cluster and of its service controller. */
export interface CloudClusterOptions extends Omit<ClusterOptions, "extra" | "controllers"> {
  readonly concurrentSyncs?: number
}

/** Starts a cluster with only the service controller, on a MemoryCloud that survives restarts of the controller. */
export async function cloudCluster({ concurrentSyncs, ...options }: CloudClusterOptions = {}): Promise<CloudCluster> {
  const made: { cloud?: MemoryCloud } = {}
  const extra = (clock: Clock) => {
    made.cloud ??= new MemoryCloud({ clock })
    return [serviceController({ balancers: memoryProvider({ cloud: made.cloud }).loadBalancers!, clock, concurrentSyncs })]
  }
  const running = await cluster({ controllers: [], expectFailure: /^service-lb-controller /, ...options, extra })
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

/** Returns a Service of type LoadBalancer with one TCP port. */
export function newService(spec: Partial<NonNullable<Service["spec"]>> = {}, name = "web"): Service {
  const ports = [{ port: 80, protocol: "TCP" as const, targetPort: 8080 }]
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { type: "LoadBalancer", selector: { app: name }, ports, ...spec },
  }
}
