import type { LoadBalancerStatus, Node, Service } from "@pilothouse/api/core/v1"
import {
  BalancerNotFound,
  CloudError,
  type CloudProvider,
  type Ensured,
  ImplementedElsewhere,
  type LoadBalancers,
  type Notice,
} from "@pilothouse/cloud"
import type { OpenStack } from "../clients/cloud.ts"
import type { LoadBalancer } from "../clients/octavia/types.ts"
import { KeyedMutex } from "../concurrency/keyed-mutex.ts"
import { specAnnotation } from "../handlers/annotations.ts"
import { applyChanges, deleteBalancer, leaveBalancer } from "./apply.ts"
import { decideBalancer, memberChanges, monitorChanges } from "./decide.ts"
import { desiredListeners, isSelected } from "./desired-listeners.ts"
import { type Features, supportedFeatures } from "./features.ts"
import { ensureAddress, releaseAddress } from "./floating-ip.ts"
import { NovaInstances } from "./instances.ts"
import { aboutBalancer, balancerName, formerCluster, plainName } from "./names.ts"
import { findBalancer, findFloatingIp, findListeners, networksFor } from "./observe.ts"
import { renameBalancer } from "./rename.ts"
import { RouterRoutes } from "./routes.ts"
import { ensureGroup, removeGroup } from "./security-group.ts"
import { prefix, readServiceOptions, type ServiceOptions } from "./service-options.ts"
import type { BalancerSettings } from "./settings.ts"
import { checkSharing, desiredTags, goesWith, isOwner, others, type Sharing, writeTags } from "./sharing.ts"

/** A little less than the service controller waits for a provider. Octavia continues without a client: a second call would create a second one. */
const maxCreate = "4m"

/**
 * The balancers of one cluster in Octavia. What is there is looked up each time.
 * Services that share a balancer join it and leave it one at a time: its tags are written as a whole, and a lost tag would hide a Service.
 * Invariant: #features is what Octavia supports, once its version is known.
 */
export class OctaviaLoadBalancers implements LoadBalancers {
  readonly #cloud: OpenStack
  readonly #cluster: string
  readonly #settings: BalancerSettings
  readonly #mutex = new KeyedMutex()
  #features: Features | undefined

  constructor(cloud: OpenStack, cluster: string, settings: BalancerSettings) {
    this.#cloud = cloud
    this.#cluster = cluster
    this.#settings = settings
  }

  name(service: Service): string {
    return balancerName(this.#cluster, service)
  }

  async get(service: Service, signal: AbortSignal): Promise<LoadBalancerStatus | undefined> {
    const options = readServiceOptions(service, this.#settings)
    const found = await this.#find(service, options, signal)
    if (found === undefined) return undefined
    const floating = options.internal ? undefined : await findFloatingIp(this.#cloud, found, signal)
    return toStatus(options, floating?.floating_ip_address ?? found.vip_address)
  }

  async ensure(service: Service, nodes: readonly Node[], signal: AbortSignal): Promise<Ensured> {
    refuseAnothers(service)
    const options = readServiceOptions(service, this.#settings)
    const found = await this.#find(service, options, signal)
    if (found === undefined) return this.#ensure(service, nodes, options, undefined, signal)
    return this.#mutex.run(found.id, () => this.#ensure(service, nodes, options, found.id, signal), signal)
  }

  async #ensure(
    service: Service,
    nodes: readonly Node[],
    options: ServiceOptions,
    id: string | undefined,
    signal: AbortSignal,
  ): Promise<Ensured> {
    const features = await this.#can(signal)
    const found = id === undefined ? undefined : await this.#usable(id, service, options, features, signal)
    const { memberSubnet, vip } = await networksFor(this.#cloud, options, nodes, service, signal)
    const desired = desiredListeners({ service, nodes, options, memberSubnet, name: this.name(service), features })
    const about = aboutBalancer(this.#cluster, service, options, features)
    const balancer = found ?? (await this.#create({ ...about, ...vip, listeners: desired }, signal))
    const changed = found !== undefined && (await this.#bring(found, service, desired, features, signal))
    const owner = isOwner(this.#sharing(balancer, service))
    const place = { cloud: this.#cloud, cluster: this.#cluster, service, options, signal }
    const address = await ensureAddress({ ...place, balancer, isOwner: owner })
    const guarded = await this.#guard(service, nodes, options, memberSubnet, signal)
    return ensureResult(service, options, {
      id: balancer.id,
      address: address.address,
      changed: found === undefined || changed || address.changed || guarded,
    })
  }

  async update(service: Service, nodes: readonly Node[], signal: AbortSignal): Promise<void> {
    const options = readServiceOptions(service, this.#settings)
    const found = await this.#find(service, options, signal)
    if (found === undefined) throw new BalancerNotFound(`there is no load balancer ${this.name(service)}`)
    const { memberSubnet } = await networksFor(this.#cloud, options, nodes, service, signal)
    const features = await this.#can(signal)
    const desired = desiredListeners({ service, nodes, options, memberSubnet, name: this.name(service), features })
    const listeners = await findListeners(this.#cloud, found, signal)
    const changes = desired.flatMap(({ protocol, protocol_port, default_pool }) => {
      const there = listeners.find(({ listener }) => listener.protocol === protocol && listener.protocol_port === protocol_port)
      if (there?.pool === undefined) return []
      const { id } = there.pool
      return [
        ...memberChanges(default_pool.members ?? [], there.members, id),
        ...monitorChanges(default_pool.healthmonitor, there.monitor, id),
      ]
    })
    await applyChanges({ cloud: this.#cloud, id: found.id, signal }, changes)
    await this.#guard(service, nodes, options, memberSubnet, signal)
  }

  async ensureDeleted(service: Service, signal: AbortSignal): Promise<void> {
    const options = readServiceOptions(service, this.#settings)
    const found = await this.#find(service, options, signal)
    if (found !== undefined) await this.#mutex.run(found.id, () => this.#remove(found.id, service, options, signal), signal)
    // Whether or not groups are managed now: they may have been when it was made.
    await removeGroup({ cloud: this.#cloud, service, signal })
  }

  /** Takes the Service off a balancer, or the balancer away. It is read again: others may have come while this one waited. */
  async #remove(id: string, service: Service, options: ServiceOptions, signal: AbortSignal): Promise<void> {
    const found = await this.#cloud.octavia.loadBalancers.find(id, { signal })
    if (found === undefined) return
    const sharing = this.#sharing(found, service)
    const place = { cloud: this.#cloud, id, signal }
    if (!goesWith(sharing)) return leaveBalancer(place, sharing)
    for (const cluster of sharing.clusters) await releaseAddress({ ...place, cluster, options, balancer: found })
    await deleteBalancer(place, this.#settings.cascadeDelete)
  }

  #sharing(balancer: LoadBalancer, service: Service): Sharing {
    const former = formerCluster(this.#cluster, balancer, service)
    const clusters = former === undefined ? [this.#cluster] : [this.#cluster, former]
    return { balancer, own: clusters.flatMap((cluster) => [balancerName(cluster, service), plainName(cluster, service)]), clusters }
  }

  #find(service: Service, { balancerId: id }: ServiceOptions, signal: AbortSignal): Promise<LoadBalancer | undefined> {
    return findBalancer({ cloud: this.#cloud, cluster: this.#cluster, service, signal, ...(id === undefined ? {} : { id }) })
  }

  async #can(signal: AbortSignal): Promise<Features> {
    this.#features ??= supportedFeatures(await this.#cloud.octavia.minorVersion({ signal }), this.#settings.provider)
    return this.#features
  }

  /** The balancer that is there. One of our own in ERROR takes no changes and never will: it goes, and another is made. */
  async #usable(
    id: string,
    service: Service,
    options: ServiceOptions,
    features: Features,
    signal: AbortSignal,
  ): Promise<LoadBalancer | undefined> {
    const settled = await this.#cloud.polls.untilChangeable(id, { signal })
    // It was deleted while the Service waited for its turn: there may be one of its own.
    if (settled === undefined) return this.#find(service, options, signal)
    const sharing = this.#sharing(settled, service)
    checkSharing(sharing, options, this.#settings.maxSharedBalancers ?? 2, features.tags)
    if (settled.provisioning_status !== "ERROR") return settled
    if (others(sharing).length > 0)
      throw new CloudError(`load balancer ${settled.id} is not ACTIVE, current provisioning status: ERROR; others share it`)
    await deleteBalancer({ cloud: this.#cloud, id, signal }, this.#settings.cascadeDelete)
    return undefined
  }

  async #create(desired: Parameters<OpenStack["octavia"]["loadBalancers"]["create"]>[0], signal: AbortSignal): Promise<LoadBalancer> {
    const { id } = await this.#cloud.octavia.loadBalancers.create(desired, { signal, timeout: maxCreate })
    return this.#cloud.polls.untilActive(id, { signal })
  }

  /** What is there becomes what is wanted. True: something was changed. */
  async #bring(
    found: LoadBalancer,
    service: Service,
    desired: ReturnType<typeof desiredListeners>,
    features: Features,
    signal: AbortSignal,
  ): Promise<boolean> {
    const sharing = this.#sharing(found, service)
    const place = { cloud: this.#cloud, id: found.id, signal }
    const [cluster, former] = sharing.clusters
    const isOld = cluster !== undefined && former !== undefined && isOwner(sharing)
    if (isOld) await renameBalancer(place, { balancer: found, service, former, cluster })
    const listeners = await findListeners(this.#cloud, found, signal)
    const changes = decideBalancer(desired, listeners, { own: sharing.own, isOwner: isOwner(sharing) })
    await applyChanges(place, changes)
    // A renamed one has its new tags.
    const untagged = features.tags && !isOld && desiredTags(sharing) !== undefined
    if (untagged) await writeTags(place, (now) => desiredTags({ ...sharing, balancer: now }))
    return changes.length > 0 || untagged || isOld
  }

  async #guard(
    service: Service,
    nodes: readonly Node[],
    { nodeSelector, provider }: ServiceOptions,
    memberSubnet: string | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (!this.#settings.manageSecurityGroups || memberSubnet === undefined) return false
    const members = nodes.filter((node) => isSelected(node, nodeSelector))
    return ensureGroup({ cloud: this.#cloud, cluster: this.#cluster, service, signal }, { nodes: members, memberSubnet, provider })
  }
}

/** A load balancer has one owner. Where the handlers run, every Service carries their annotation, and its load balancer is theirs. */
function refuseAnothers({ metadata }: Service): void {
  if (metadata.annotations?.[specAnnotation] === undefined) return
  throw new ImplementedElsewhere(
    `the Service ${metadata.namespace}/${metadata.name} has the annotation ${specAnnotation}: the handlers make its load balancer; remove it where they no longer run`,
  )
}

/** Returns the result for a balancer that is up to date. Its id and address are written on the Service, for people and for other programs. */
function ensureResult(
  service: Service,
  options: ServiceOptions,
  { id, address, changed }: { readonly id: string; readonly address: string; readonly changed: boolean },
): Ensured {
  return {
    status: toStatus(options, address),
    changed,
    annotations: { [`${prefix}load-balancer-id`]: id, [`${prefix}load-balancer-address`]: address },
    notices: noticesOn(service, options),
  }
}

/** With PROXY pods must not answer directly: they would miss the header. */
function toStatus({ hostname, proxy, proxyHostnames }: ServiceOptions, ip: string): LoadBalancerStatus {
  if (hostname !== undefined) return { ingress: [{ hostname }] }
  if (proxy !== undefined && proxyHostnames !== undefined) return { ingress: [{ hostname: `${ip}.${proxyHostnames}` }] }
  return { ingress: [{ ip, ipMode: proxy === undefined ? "VIP" : "Proxy" }] }
}

/** Nodes without a pod drop what they get, and only a health monitor keeps it from them. */
function noticesOn({ spec }: Service, { monitor }: ServiceOptions): readonly Notice[] {
  if (spec?.externalTrafficPolicy !== "Local" || monitor !== undefined) return []
  const message = `externalTrafficPolicy is Local and there is no health monitor: connections to nodes without a pod are lost; set the annotation ${prefix}enable-health-monitor, or create-monitor in cloud.conf`
  return [{ type: "Warning", reason: "HealthMonitorMissing", message }]
}

/** The cloud, and the cluster name that stands in the names of its load balancers ("kubernetes" by default). */
export interface OpenStackProviderOptions {
  readonly cloud: OpenStack
  readonly clusterName?: string
  readonly settings?: BalancerSettings
}

/** Services of type LoadBalancer as Octavia load balancers to node ports, nodes as servers of Nova, and routes to pods as extra routes of a router. */
export function openStackProvider({ cloud, clusterName = "kubernetes", settings = {} }: OpenStackProviderOptions): CloudProvider {
  const { enabled = true, routerId = "" } = settings
  return {
    name: "openstack",
    clusterName,
    ...(enabled && { loadBalancers: new OctaviaLoadBalancers(cloud, clusterName, settings) }),
    instances: new NovaInstances(cloud),
    ...(routerId !== "" && { routes: new RouterRoutes(cloud, routerId) }),
  }
}
