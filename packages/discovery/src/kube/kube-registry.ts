import { keyOf, splitKey } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { HandlerChains, type StuckTask } from "@pilothouse/runtime"
import { milliseconds } from "@pilothouse/seams"
import type { Endpoint, Place } from "../model/endpoint.ts"
import type { ServiceInstance } from "../model/instance.ts"
import type { NetworkGateway } from "../model/network-gateway.ts"
import type { Service, ServicePort } from "../model/service.ts"
import type { WorkloadInstance } from "../model/workload-instance.ts"
import type { RegistrySubscriber } from "../registry/registry.ts"
import type { ClusterRegistry } from "./cluster-registry.ts"
import { judge, type SourceJudgements } from "./convert/judge.ts"
import { localityOf } from "./convert/locality.ts"
import type { KubeRegistryOptions } from "./convert/options.ts"
import { applyEndpointsChange } from "./handlers/endpoints.ts"
import { networkGateways } from "./handlers/gateways.ts"
import { applyNamespaceChange } from "./handlers/namespace.ts"
import { applyNodeChange } from "./handlers/node.ts"
import { applyPodChange } from "./handlers/pod.ts"
import { applyServiceChange } from "./handlers/service.ts"
import { applyWorkloadChange, judgedWorkloads } from "./handlers/workload.ts"
import { MeshFollowing } from "./mesh-following.ts"
import { instancesByPort, type LabelSets } from "./queries/instances-by-port.ts"
import { type Proxy, proxyServiceInstances } from "./queries/proxy-instances.ts"
import { proxyLabels } from "./queries/proxy-labels.ts"
import { serviceAccounts } from "./queries/service-accounts.ts"
import { type HealthCheck, healthChecks, managementPorts } from "./queries/workload-probes.ts"
import { RegistryState } from "./state/state.ts"

/**
 * The services of one Kubernetes cluster.
 *
 * Promises: subscribers are not notified before everything was read; services, pods, nodes and namespaces are handled before endpoints, so that endpoints find what
 * they need; what is announced is in the answers already; an endpoint that comes before its pod waits for it.
 */
export class KubeRegistry implements ClusterRegistry {
  readonly #state: RegistryState
  readonly #chains: HandlerChains
  readonly #mesh: MeshFollowing

  constructor(options: KubeRegistryOptions) {
    const state = new RegistryState(options)
    const { watched, sources, metrics } = state
    const { clock, log } = options
    this.#state = state
    this.#chains = new HandlerChains({ name: `discovery-${state.conversion.cluster}`, clock, log, metrics: options.metrics })
    this.#mesh = new MeshFollowing(state, this.#chains)
    watched.namespaces.handle(this.#chains, (task) => applyNamespaceChange(state, task), metrics)
    watched.services.handle(this.#chains, (task) => applyServiceChange(state, task), metrics)
    watched.nodes.handle(this.#chains, (task) => applyNodeChange(state, task), metrics)
    watched.pods.handle(
      this.#chains,
      ({ event, key, object }) => applyPodChange(state, key, event === "delete" ? undefined : object),
      metrics,
    )
    sources.handle(this.#chains, (key, source) => applyEndpointsChange(state, key, source), metrics)
  }

  get cluster(): string {
    return this.#state.conversion.cluster
  }

  get synced(): boolean {
    return this.#state.subscribers.isOpen
  }

  get hasRead(): boolean {
    return this.#chains.hasSynced
  }

  /** What audits and tests look into. */
  get state(): RegistryState {
    return this.#state
  }

  /** Objects whose handler failed. */
  get stuck(): readonly StuckTask[] {
    return this.#chains.stuck
  }

  services(): readonly Service[] {
    return this.#state.services.sorted()
  }

  getService(hostname: string): Service | undefined {
    return this.#state.services.get(hostname)
  }

  endpoints(hostname: string): readonly Endpoint[] {
    return this.#state.endpoints.get(hostname)
  }

  subscribe(subscriber: RegistrySubscriber): Disposable {
    return this.#state.subscribers.add(subscriber)
  }

  /** A workload that another registry knows, or that the program does: Services select it as they select pods. The same name again replaces it. */
  putWorkload(instance: WorkloadInstance): void {
    applyWorkloadChange(this.#state, keyOf({ metadata: instance }), instance)
  }

  removeWorkload(workload: Pick<WorkloadInstance, "namespace" | "name">): void {
    applyWorkloadChange(this.#state, keyOf({ metadata: workload }), undefined)
  }

  instancesByPort(hostname: string, port: number, labels?: LabelSets): readonly ServiceInstance[] {
    return instancesByPort(this.getService(hostname), this.endpoints(hostname), { port, labels })
  }

  proxyServiceInstances(proxy: Proxy): readonly ServiceInstance[] {
    return proxyServiceInstances(this.#state, proxy)
  }

  proxyLabels(proxy: Proxy): Readonly<Record<string, string>> {
    return proxyLabels(this.#state, proxy)
  }

  servicesByAddress(address: string): readonly Service[] {
    return this.#state.services.byAddress(address)
  }

  serviceAccounts(hostname: string, ports: readonly number[]): readonly string[] {
    return serviceAccounts(this.getService(hostname), this.endpoints(hostname), ports)
  }

  managementPorts(address: string): readonly ServicePort[] {
    return managementPorts(this.#podAt(address))
  }

  healthChecks(address: string): readonly HealthCheck[] {
    return healthChecks(this.#podAt(address))
  }

  placeOf(pod: string, cluster: string): Place | undefined {
    if (cluster !== "" && cluster !== this.cluster) return undefined
    const { pods, nodes } = this.#state.watched
    const found = pods.get(pod)
    const node = found?.spec?.nodeName
    return node === undefined ? undefined : { locality: localityOf(found, nodes.get(node)), node }
  }

  networkGateways(): readonly NetworkGateway[] {
    return networkGateways(this.#state)
  }

  /** Every address of a service and whether it is used; by source. */
  judgements(hostname: string): readonly SourceJudgements[] {
    const service = this.getService(hostname)
    if (service === undefined) return []
    const { sources, selection } = this.#state
    const slices = sources.ofService(`${service.namespace}/${service.name}`).flatMap((key) => {
      const source = sources.get(key)
      if (source === undefined || !selection.has(splitKey(key).namespace ?? "")) return []
      return [{ source: key, cluster: this.cluster, judged: judge(source, this.#state.surroundings(service)) }]
    })
    return [...slices, ...judgedWorkloads(this.#state, service)]
  }

  /** When the endpoints of a service last changed, in milliseconds since 1970. */
  changedAt(hostname: string): number | undefined {
    return this.#state.changed.get(hostname)
  }

  /** Watches the cluster until the signal ends it. */
  async run(signal: AbortSignal): Promise<void> {
    const { watched, sources, names, options } = this.#state
    const { clock, syncTimeout } = options
    // All at once: pods are the longest answer, and what else there is comes while the server makes it.
    const kinds = [...Object.values(watched), ...this.#mesh.watched, sources.watched]
    const running = [...kinds.map((kind) => kind.run(signal)), this.#mesh.run(signal), names.run(signal), this.#chains.run(signal)]
    using _timeout =
      syncTimeout === undefined
        ? undefined
        : clock.timer(milliseconds(syncTimeout), "the registry's first sync", () => {
            if (!this.synced) this.#open("gave up waiting for the first state")
          })
    // Endpoints of a network whose gateways are not known yet would be sent as if all clients could reach them.
    void this.#chains.synced.then(() => names.asked()).then(() => this.#open("the first state was read"))
    await Promise.all(running)
  }

  #open(reason: string): void {
    const { subscribers, options } = this.#state
    options.log.info(`discovery of cluster ${this.cluster}: ${reason}`, { cluster: this.cluster, services: this.#state.services.size })
    // Open already, because its time was over: those that wait for the real state of the cluster are notified now.
    if (subscribers.isOpen) subscribers.configUpdate(reason)
    else subscribers.open(reason)
  }

  #podAt(address: string): Pod | undefined {
    const [key] = this.#state.podCache.at(address)
    return key === undefined ? undefined : this.#state.watched.pods.get(key)
  }
}
