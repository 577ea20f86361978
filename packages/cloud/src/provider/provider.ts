import type { LoadBalancerStatus, Node, NodeAddress, Service } from "@pilothouse/api/core/v1"

/**
 * A cloud, as the cloud controllers use it. It is created for one cluster: everything it creates carries that name and the UID of its
 * owner, so that two clusters on one cloud never share anything. A capability that the cloud lacks is undefined.
 *
 * Every call may be repeated: an answer can be lost after the work was done. Every call ends soon after its signal has aborted. Arguments are
 * read-only. Errors are those of cloud-errors.ts; any other one counts as a failure that may pass.
 * `@pilothouse/cloud/contract` holds every provider to this.
 */
export interface CloudProvider {
  /** "loopback", "openstack": as in --cloud-provider. */
  readonly name: string
  readonly clusterName: string
  readonly loadBalancers?: LoadBalancers
  readonly instances?: Instances
  readonly routes?: Routes
}

/** The load balancers of a cloud, one for each Service. Named after the methods of upstream's LoadBalancer interface. */
export interface LoadBalancers {
  /** The name of the Service's balancer in the cloud: stable for the lifetime of the Service, and unique to it. Pure. */
  name(service: Service): string
  /** GetLoadBalancer: only reads. Undefined: the cloud has no such balancer. */
  get(service: Service, signal: AbortSignal): Promise<LoadBalancerStatus | undefined>
  /** EnsureLoadBalancer: creates the balancer, or updates it to match the Service and the nodes. Finds before it creates. Writes nothing where the balancer matches already. */
  ensure(service: Service, nodes: readonly Node[], signal: AbortSignal): Promise<Ensured>
  /** UpdateLoadBalancer: updates only the nodes behind the balancer. Throws BalancerNotFound where there is no balancer. */
  update(service: Service, nodes: readonly Node[], signal: AbortSignal): Promise<void>
  /** EnsureLoadBalancerDeleted: deletes the balancer with every part of it, also the rest of a partial create. Succeeds where there is nothing. */
  ensureDeleted(service: Service, signal: AbortSignal): Promise<void>
}

/** The outcome of `ensure`. */
export interface Ensured {
  readonly status: LoadBalancerStatus
  /** False: the balancer matched already, and nothing was written in the cloud. */
  readonly changed: boolean
  /** Annotations for the Service: the name of its balancer in the cloud, for example. */
  readonly annotations?: Readonly<Record<string, string>>
  /** Recorded as events of the Service when something changed. */
  readonly notices?: readonly Notice[]
}

/** An event for the Service, in the words of the provider. */
export interface Notice {
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
}

/** The instances of the cloud. A node is found by its provider ID, or by its name where it has none yet. Every method only reads. */
export interface Instances {
  exists(node: Node, signal: AbortSignal): Promise<boolean>
  /** Whether the instance is shut down and can be started again. */
  isShutDown(node: Node, signal: AbortSignal): Promise<boolean>
  /** Throws InstanceNotFound where the cloud has no such instance. */
  metadata(node: Node, signal: AbortSignal): Promise<InstanceMetadata>
}

/** What the cloud says about the instance of a node. */
export interface InstanceMetadata {
  /** "openstack:///1234" */
  readonly providerId: string
  readonly instanceType?: string
  readonly zone?: string
  readonly region?: string
  readonly addresses: readonly NodeAddress[]
  readonly additionalLabels?: Readonly<Record<string, string>>
}

/** Routes the traffic of a node's pods to that node. */
export interface Routes {
  /** Those of this cluster. Only reads. */
  list(signal: AbortSignal): Promise<readonly Route[]>
  /** Succeeds where there is such a route already. `hint` may become part of its name. */
  create(route: Omit<Route, "name">, hint: string, signal: AbortSignal): Promise<void>
  /** Succeeds where there is none. */
  delete(route: Route, signal: AbortSignal): Promise<void>
}

/** A route in the cloud from a range of pod addresses to a node. */
export interface Route {
  readonly name: string
  /** Empty: the route leads to no node of the cluster that the cloud knows. */
  readonly targetNode: string
  /** The address that the cloud forwards to, where it reports one: a route to an address that the node no longer has is created again. */
  readonly targetAddress?: string
  /** "10.244.1.0/24" */
  readonly destination: string
  /** It leads nowhere: its instance is gone. */
  readonly blackhole?: boolean
}
