import type { Endpoint } from "../model/endpoint.ts"
import type { ServiceInstance } from "../model/instance.ts"
import type { Service, ServicePort } from "../model/service.ts"
import type { Registry } from "../registry/registry.ts"
import type { SourceJudgements } from "./convert/judge.ts"
import type { LabelSets } from "./queries/instances-by-port.ts"
import type { Proxy } from "./queries/proxy-instances.ts"
import type { HealthCheck } from "./queries/workload-probes.ts"

/** What `explain` reads of a registry. */
export interface ExplainableRegistry {
  readonly synced: boolean
  getService(hostname: string): Service | undefined
  endpoints(hostname: string): readonly Endpoint[]
  judgements(hostname: string): readonly SourceJudgements[]
  changedAt(hostname: string): number | undefined
}

/** The questions that Pilot's service discovery answers, each from an index. What is unknown is empty. */
export interface ServiceDiscovery extends Registry, ExplainableRegistry {
  instancesByPort(hostname: string, port: number, labels?: LabelSets): readonly ServiceInstance[]
  proxyServiceInstances(proxy: Proxy): readonly ServiceInstance[]
  /** Of its pod, with where it runs. */
  proxyLabels(proxy: Proxy): Readonly<Record<string, string>>
  servicesByAddress(address: string): readonly Service[]
  serviceAccounts(hostname: string, ports: readonly number[]): readonly string[]
  managementPorts(address: string): readonly ServicePort[]
  healthChecks(address: string): readonly HealthCheck[]
}

/** The services of one cluster. */
export interface ClusterRegistry extends ServiceDiscovery {
  readonly cluster: string
  /** Its first state was read; false while it counts as synced only because its time was over. */
  readonly hasRead: boolean
  /** Follows the cluster until the signal ends it. */
  run(signal: AbortSignal): Promise<void>
}
