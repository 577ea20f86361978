import { deepEqual } from "@pilothouse/api"
import { type Log, largestOf } from "@pilothouse/seams"
import type { ClusterRegistry, ServiceDiscovery } from "../kube/cluster-registry.ts"
import type { SourceJudgements } from "../kube/convert/judge.ts"
import { instancesByPort, type LabelSets } from "../kube/queries/instances-by-port.ts"
import type { Proxy } from "../kube/queries/proxy-instances.ts"
import { serviceAccounts } from "../kube/queries/service-accounts.ts"
import type { HealthCheck } from "../kube/queries/workload-probes.ts"
import type { Endpoint, Place } from "../model/endpoint.ts"
import type { ServiceInstance } from "../model/instance.ts"
import type { NetworkGateway } from "../model/network-gateway.ts"
import { isHidden, type Service, type ServicePort } from "../model/service.ts"
import type { RegistrySubscriber } from "../registry/registry.ts"
import { Subscribers } from "../registry/subscribers.ts"
import { notifyDifference, Remembered } from "./difference.ts"
import { type Member, Members } from "./members.ts"

const none: readonly never[] = Object.freeze([])

/**
 * Several clusters as one: services are merged by hostname, endpoints stand side by side.
 *
 * Promises: a cluster that joins, is swapped or leaves at run time is announced as the difference that it makes, and answers change in one step: no
 * gap and nothing twice. Subscribers are not notified before all the clusters that were there at the start have been read.
 */
export class AggregateRegistry implements ServiceDiscovery {
  readonly #subscribers: Subscribers
  readonly #members: Members
  readonly #services = new Remembered<Service>()
  readonly #endpoints = new Remembered<readonly Endpoint[]>()
  readonly #sorted = new Remembered<readonly Service[]>()
  #runs = false

  constructor({ log }: { readonly log: Log }) {
    this.#subscribers = new Subscribers(log)
    this.#members = new Members({ log, joined: (member) => this.#join(member), listener: (member) => this.#listener(member) })
  }

  get synced(): boolean {
    return this.#subscribers.isOpen
  }

  get clusters(): readonly string[] {
    return this.#members.answering.map(({ cluster }) => cluster)
  }

  /** How many answers are kept that were put together of several clusters. */
  get remembered(): number {
    return this.#services.size + this.#endpoints.size + this.#sorted.size
  }

  /** One more cluster: it is seen once its first state was read. Refuses one that is there already. */
  add(registry: ClusterRegistry): void {
    this.#members.add(registry)
  }

  /**
   * Another registry of a cluster, with other credentials: the old one answers until the new one has read its first state, however long that takes.
   * One that only gave up waiting (`syncTimeout`) replaces no other: its credentials may be wrong.
   */
  swap(registry: ClusterRegistry): void {
    this.#members.swap(registry)
  }

  remove(cluster: string): void {
    const leaving = this.#members.answeringOf(cluster)
    this.#notifyChange([leaving], cluster, () => void this.#members.remove(cluster))
    this.#openWhenComplete()
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#runs = true
    this.#openWhenComplete()
    await this.#members.run(signal)
  }

  services(): readonly Service[] {
    const parts = this.#members.answering.map((registry) => registry.services())
    const merged = this.#sorted.get("", parts, () => {
      const hostnames = new Set(parts.flatMap((services) => services.map(({ hostname }) => hostname)))
      return [...hostnames].sort().flatMap((hostname) => this.getService(hostname) ?? [])
    })
    return merged ?? none
  }

  getService(hostname: string): Service | undefined {
    const { answering } = this.#members
    if (answering.length === 1) return answering[0]!.getService(hostname)
    const parts = contributingClusters(answering, hostname).map(({ service }) => service)
    return this.#services.get(hostname, parts, mergeServices)
  }

  endpoints(hostname: string): readonly Endpoint[] {
    const { answering } = this.#members
    if (answering.length === 1) return answering[0]!.endpoints(hostname)
    const parts = contributingClusters(answering, hostname).map(({ registry }) => registry.endpoints(hostname))
    const filled = parts.filter(({ length }) => length > 0)
    return this.#endpoints.get(hostname, filled, (lists) => lists.flat()) ?? none
  }

  subscribe(subscriber: RegistrySubscriber): Disposable {
    return this.#subscribers.add(subscriber)
  }

  instancesByPort(hostname: string, port: number, labels?: LabelSets): readonly ServiceInstance[] {
    return instancesByPort(this.getService(hostname), this.endpoints(hostname), { port, labels })
  }

  /** A proxy that says which cluster it is in is looked for only there. Whatever the cluster, its own namespace comes first. */
  proxyServiceInstances(proxy: Proxy): readonly ServiceInstance[] {
    const found = this.#registriesOf(proxy).flatMap((registry) => registry.proxyServiceInstances(proxy))
    const rank = ({ service }: ServiceInstance) => (service.namespace === proxy.namespace ? 0 : 1)
    return found.sort((a, b) => rank(a) - rank(b))
  }

  proxyLabels(proxy: Proxy): Readonly<Record<string, string>> {
    const found = this.#registriesOf(proxy).map((registry) => registry.proxyLabels(proxy))
    return found.find((labels) => Object.keys(labels).length > 0) ?? {}
  }

  servicesByAddress(address: string): readonly Service[] {
    const found = this.#members.answering.flatMap((registry) => registry.servicesByAddress(address).map(({ hostname }) => hostname))
    return [...new Set(found)].flatMap((hostname) => this.getService(hostname) ?? [])
  }

  serviceAccounts(hostname: string, ports: readonly number[]): readonly string[] {
    return serviceAccounts(this.getService(hostname), this.endpoints(hostname), ports)
  }

  managementPorts(address: string): readonly ServicePort[] {
    return this.#members.answering.map((registry) => registry.managementPorts(address)).find(({ length }) => length > 0) ?? []
  }

  healthChecks(address: string): readonly HealthCheck[] {
    return this.#members.answering.map((registry) => registry.healthChecks(address)).find(({ length }) => length > 0) ?? []
  }

  placeOf(pod: string, cluster: string): Place | undefined {
    for (const registry of this.#members.answering) {
      const found = registry.placeOf(pod, cluster)
      if (found !== undefined) return found
    }
    return undefined
  }

  networkGateways(): readonly NetworkGateway[] {
    const all = this.#members.answering.flatMap((registry) => registry.networkGateways())
    // What the mesh's settings say every registry says.
    return [...new Map(all.map((gateway) => [placeOf(gateway), gateway])).values()]
  }

  judgements(hostname: string): readonly SourceJudgements[] {
    return contributingClusters(this.#members.answering, hostname).flatMap(({ registry }) => registry.judgements(hostname))
  }

  changedAt(hostname: string): number | undefined {
    const times = this.#members.answering.flatMap((registry) => registry.changedAt(hostname) ?? [])
    return times.length === 0 ? undefined : largestOf(times)
  }

  #registriesOf({ cluster: own }: Proxy): readonly ClusterRegistry[] {
    return this.#members.answering.filter(({ cluster }) => own === undefined || own === cluster)
  }

  #join(member: Member): void {
    const { registry } = member
    const before = this.#members.answeringOf(registry.cluster)
    this.#notifyChange([before, registry], registry.cluster, () => void this.#members.enter(member))
    this.#openWhenComplete()
  }

  #openWhenComplete(): void {
    if (this.#runs && this.#members.isComplete) this.#subscribers.open("the first state of all clusters was read")
  }

  /** Makes a change of members, and announces what it changes in the services that these registries have. */
  #notifyChange(registries: readonly (ClusterRegistry | undefined)[], cluster: string, change: () => void): void {
    const hostnames = new Set(registries.flatMap((registry) => registry?.services().map(({ hostname }) => hostname) ?? []))
    const read = (hostname: string) => ({ service: this.getService(hostname), endpoints: this.endpoints(hostname) })
    const before = [...hostnames].map((hostname) => ({ hostname, old: read(hostname) }))
    const gateways = this.networkGateways()
    change()
    this.#release()
    for (const { hostname, old } of before) {
      const now = read(hostname)
      if (now.service === undefined) this.#forget(hostname)
      notifyDifference(this.#subscribers, { cluster, hostname }, old, now)
    }
    if (!deepEqual(gateways, this.networkGateways())) this.#subscribers.configUpdate("the gateways between networks changed")
  }

  #listener(member: Member): RegistrySubscriber {
    const isAnswering = () => this.#members.isAnswering(member)
    const others = (hostname: string) =>
      this.#members.answering.some((registry) => registry !== member.registry && registry.getService(hostname) !== undefined)
    return {
      serviceUpdate: (hostname, change) => {
        if (!isAnswering()) return
        const alone = !others(hostname)
        if (alone && change === "deleted") this.#forget(hostname)
        this.#subscribers.serviceUpdate(hostname, alone ? change : "updated")
      },
      endpointsUpdate: (shard, hostname, change) => {
        if (isAnswering()) this.#subscribers.endpointsUpdate(shard, hostname, change)
      },
      workloadUpdate: (address, pod) => {
        if (isAnswering()) this.#subscribers.workloadUpdate(address, pod)
      },
      configUpdate: (reason) => {
        if (isAnswering()) this.#subscribers.configUpdate(reason)
        else if (this.#members.mayEnter(member)) this.#join(member)
      },
    }
  }

  /** Nothing of a cluster that left is kept: where one answers alone nothing is put together any more. */
  #release(): void {
    this.#sorted.clear()
    if (this.#members.answering.length > 1) return
    this.#services.clear()
    this.#endpoints.clear()
  }

  #forget(hostname: string): void {
    this.#services.forget(hostname)
    this.#endpoints.forget(hostname)
  }
}

function placeOf({ network, cluster, address, port }: NetworkGateway): string {
  return `${network} ${cluster} ${address} ${port}`
}

interface Part {
  readonly registry: ClusterRegistry
  readonly service: Service
}

/**
 * The clusters that contribute to a service of this hostname. One that hides it does not contribute where another shows it: changes of its endpoints
 * are not announced, so that clients would hold stale ones.
 */
function contributingClusters(registries: readonly ClusterRegistry[], hostname: string): readonly Part[] {
  const having = registries.flatMap((registry) => {
    const service = registry.getService(hostname)
    return service === undefined ? [] : [{ registry, service }]
  })
  const seen = having.filter(({ service }) => !isHidden(service))
  return seen.length === 0 ? having : seen
}

/** One service of several clusters: the first says what it is, the others add their addresses and the accounts that they know. */
function mergeServices(services: readonly Service[]): Service {
  const addresses = Object.fromEntries(services.flatMap((service) => Object.entries(service.addresses)))
  const external = [...new Set(services.flatMap(({ externalAddresses = [] }) => externalAddresses))]
  return {
    ...services[0]!,
    addresses,
    accounts: [...new Set(services.flatMap(({ accounts }) => accounts))].sort(),
    ...(external.length === 0 ? {} : { externalAddresses: external }),
  }
}
