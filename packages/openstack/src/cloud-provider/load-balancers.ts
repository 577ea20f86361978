import type { LoadBalancerStatus, Node, Service } from "@pilothouse/api/core/v1"
import { BalancerNotFound, CloudError, type Ensured, ImplementedElsewhere, type LoadBalancers } from "@pilothouse/cloud"
import type { OpenStack } from "../clients/cloud.ts"
import type { LoadBalancer } from "../clients/octavia/types.ts"
import { specAnnotation } from "../handlers/annotations.ts"
import { applyChanges, deleteListener } from "./apply.ts"
import { decideBalancer, memberChanges, monitorChanges } from "./decide.ts"
import { ensureAddress, releaseAddress } from "./floating-ip.ts"
import { balancerDescription, balancerName, plainName } from "./names.ts"
import { networksFor } from "./networks.ts"
import { findBalancer, floatingIpOf, listenersOf } from "./observe.ts"
import { optionsOf, type ServiceOptions } from "./service-options.ts"
import type { BalancerSettings } from "./settings.ts"
import { wantedListeners } from "./wanted-balancer.ts"

/** The balancers of one cluster in Octavia. Nothing is remembered between calls: what is there is looked up each time. */
export class OctaviaLoadBalancers implements LoadBalancers {
  readonly #cloud: OpenStack
  readonly #cluster: string
  readonly #settings: BalancerSettings

  constructor(cloud: OpenStack, cluster: string, settings: BalancerSettings) {
    this.#cloud = cloud
    this.#cluster = cluster
    this.#settings = settings
  }

  name(service: Service): string {
    return balancerName(this.#cluster, service)
  }

  async get(service: Service, signal: AbortSignal): Promise<LoadBalancerStatus | undefined> {
    const options = optionsOf(service, this.#settings)
    const found = await this.#find(service, options, signal)
    if (found === undefined) return undefined
    const floating = options.internal ? undefined : await floatingIpOf(this.#cloud, found, signal)
    return statusOf(options, floating?.floating_ip_address ?? found.vip_address)
  }

  async ensure(service: Service, nodes: readonly Node[], signal: AbortSignal): Promise<Ensured> {
    refuseAnothers(service)
    const options = optionsOf(service, this.#settings)
    const found = await this.#usable(await this.#find(service, options, signal), signal)
    const { memberSubnet, vip } = await networksFor(this.#cloud, options, nodes, service, signal)
    const wanted = wantedListeners({ service, nodes, options, memberSubnet, name: this.name(service) })
    const place = { cloud: this.#cloud, cluster: this.#cluster, service, options, signal }
    if (found === undefined) {
      const balancer = await this.#create({ ...about(this.#cluster, service, options), ...vip, listeners: wanted }, signal)
      return { status: statusOf(options, (await ensureAddress({ ...place, balancer })).address), changed: true }
    }
    const changes = decideBalancer(wanted, await listenersOf(this.#cloud, found, signal), this.name(service))
    await applyChanges({ cloud: this.#cloud, id: found.id, signal }, changes)
    const address = await ensureAddress({ ...place, balancer: found })
    return { status: statusOf(options, address.address), changed: changes.length > 0 || address.changed }
  }

  async update(service: Service, nodes: readonly Node[], signal: AbortSignal): Promise<void> {
    const options = optionsOf(service, this.#settings)
    const found = await this.#find(service, options, signal)
    if (found === undefined) throw new BalancerNotFound(`there is no load balancer ${this.name(service)}`)
    const { memberSubnet } = await networksFor(this.#cloud, options, nodes, service, signal)
    const wanted = wantedListeners({ service, nodes, options, memberSubnet, name: this.name(service) })
    const listeners = await listenersOf(this.#cloud, found, signal)
    const changes = wanted.flatMap(({ protocol, protocol_port, default_pool }) => {
      const there = listeners.find(({ listener }) => listener.protocol === protocol && listener.protocol_port === protocol_port)
      if (there?.pool === undefined) return []
      const { id } = there.pool
      return [
        ...memberChanges(default_pool.members ?? [], there.members, id),
        ...monitorChanges(default_pool.healthmonitor, there.monitor, id),
      ]
    })
    await applyChanges({ cloud: this.#cloud, id: found.id, signal }, changes)
  }

  async ensureDeleted(service: Service, signal: AbortSignal): Promise<void> {
    const options = optionsOf(service, this.#settings)
    const found = await this.#find(service, options, signal)
    await releaseAddress({
      cloud: this.#cloud,
      cluster: this.#cluster,
      service,
      options,
      signal,
      ...(found === undefined ? {} : { balancer: found }),
    })
    if (found === undefined) return
    const own = [this.name(service), plainName(this.#cluster, service)]
    if (!own.includes(found.name)) return this.#leave(found, this.name(service), signal)
    await this.#delete(found, signal)
  }

  #find(service: Service, { balancerId: id }: ServiceOptions, signal: AbortSignal): Promise<LoadBalancer | undefined> {
    return findBalancer({ cloud: this.#cloud, cluster: this.#cluster, service, signal, ...(id === undefined ? {} : { id }) })
  }

  /** One in ERROR takes no changes and never will: it goes, and another is made. */
  async #usable(found: LoadBalancer | undefined, signal: AbortSignal): Promise<LoadBalancer | undefined> {
    if (found === undefined) return undefined
    const settled = await this.#cloud.polls.untilChangeable(found.id, { signal })
    if (settled?.provisioning_status !== "ERROR") return settled
    await this.#delete(settled, signal)
    return undefined
  }

  async #create(wanted: Parameters<OpenStack["octavia"]["loadBalancers"]["create"]>[0], signal: AbortSignal): Promise<LoadBalancer> {
    const { id } = await this.#cloud.octavia.loadBalancers.create(wanted, { signal })
    return this.#cloud.polls.untilActive(id, { signal })
  }

  async #delete({ id, name }: LoadBalancer, signal: AbortSignal): Promise<void> {
    const settled = await this.#cloud.polls.untilChangeable(id, { signal })
    if (settled === undefined) return
    await this.#cloud.octavia.loadBalancers.delete(id, { cascade: true, signal })
    await this.#cloud.polls.untilGone(id, { signal })
    if ((await this.#cloud.octavia.loadBalancers.find(id, { signal })) !== undefined)
      throw new CloudError(`expected load balancer ${name} to be gone`)
  }

  /** A balancer of somebody else that the Service shares: only the Service's own listeners go. */
  async #leave(found: LoadBalancer, tag: string, signal: AbortSignal): Promise<void> {
    const place = { cloud: this.#cloud, id: found.id, signal }
    for (const one of await listenersOf(this.#cloud, found, signal)) if (one.listener.tags.includes(tag)) await deleteListener(place, one)
    await this.#cloud.polls.untilActive(found.id, { signal })
  }
}

/** A load balancer has one owner. Where the handlers run, every Service carries their annotation, and its load balancer is theirs. */
function refuseAnothers({ metadata }: Service): void {
  if (metadata.annotations?.[specAnnotation] === undefined) return
  throw new ImplementedElsewhere(
    `the Service ${metadata.namespace}/${metadata.name} has the annotation ${specAnnotation}: the handlers make its load balancer; remove it where they no longer run`,
  )
}

function about(cluster: string, service: Service, { provider, flavorId, availabilityZone }: ServiceOptions) {
  const name = balancerName(cluster, service)
  return {
    name,
    description: balancerDescription(cluster, service),
    tags: [name],
    ...(provider === undefined ? {} : { provider }),
    ...(flavorId === undefined ? {} : { flavor_id: flavorId }),
    ...(availabilityZone === undefined ? {} : { availability_zone: availabilityZone }),
  }
}

/** With PROXY pods must not answer directly: they would miss the header. */
function statusOf({ hostname, proxy }: ServiceOptions, ip: string): LoadBalancerStatus {
  if (hostname !== undefined) return { ingress: [{ hostname }] }
  return { ingress: [{ ip, ipMode: proxy === undefined ? "VIP" : "Proxy" }] }
}
