import type { LoadBalancerStatus, Node, NodeAddress, Service } from "@pilothouse/api/core/v1"

/**
 * A cloud, as the cloud controllers use it. It is made with the name of its cluster: everything it makes carries that name and the UID of its
 * owner, so that two clusters on one cloud never share anything. What a cloud cannot do is left out.
 *
 * Every call may be repeated: an answer can be lost after the work was done. Every call ends soon after its signal has aborted. Arguments are
 * read-only. Errors are those of cloud-errors.ts; any other one counts as a failure that may pass.
 * What every provider promises is tried by provider.contract.ts.
 */
export interface CloudProvider {
  /** "loopback", "openstack": as in --cloud-provider. */
  readonly name: string
  readonly clusterName: string
  readonly loadBalancers?: LoadBalancers
  readonly instances?: Instances
  readonly routes?: Routes
}

export interface LoadBalancers {
  /** What the balancer of the Service is called in the cloud; the same for as long as the Service lives, and different for any other. Pure. */
  name(service: Service): string
  /** Only reads. Undefined: the cloud has no such balancer. */
  get(service: Service, signal: AbortSignal): Promise<LoadBalancerStatus | undefined>
  /** Makes the balancer, or brings it to what the Service and the nodes say. Finds before it makes. Writes nothing where all is so already. */
  ensure(service: Service, nodes: readonly Node[], signal: AbortSignal): Promise<Ensured>
  /** Only the nodes behind the balancer. Throws BalancerNotFound where there is no balancer. */
  update(service: Service, nodes: readonly Node[], signal: AbortSignal): Promise<void>
  /** Takes the balancer and every part of it away, also what is left of one that was half made. Succeeds where there is nothing. */
  ensureDeleted(service: Service, signal: AbortSignal): Promise<void>
}

export interface Ensured {
  readonly status: LoadBalancerStatus
  /** False: everything was as it should be, and nothing was written in the cloud. */
  readonly changed: boolean
  /** Written on the Service: what the cloud calls its balancer, say. */
  readonly annotations?: Readonly<Record<string, string>>
  /** What the people who look at the Service should know: told as events, when something changed. */
  readonly notices?: readonly Notice[]
}

export interface Notice {
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
}

/** The machines of the cloud. A node is found by its provider ID, or by its name where it has none yet. All of it only reads. */
export interface Instances {
  exists(node: Node, signal: AbortSignal): Promise<boolean>
  /** Whether it is switched off, and will come back when it is switched on. */
  isShutDown(node: Node, signal: AbortSignal): Promise<boolean>
  /** Throws InstanceNotFound where the cloud has no such machine. */
  metadata(node: Node, signal: AbortSignal): Promise<InstanceMetadata>
}

export interface InstanceMetadata {
  /** "openstack:///1234" */
  readonly providerId: string
  readonly instanceType?: string
  readonly zone?: string
  readonly region?: string
  readonly addresses: readonly NodeAddress[]
  readonly additionalLabels?: Readonly<Record<string, string>>
}

/** Sends what is for a node's pods to that node. */
export interface Routes {
  /** Those of this cluster. Only reads. */
  list(signal: AbortSignal): Promise<readonly Route[]>
  /** Succeeds where there is such a route already. `hint` may become part of its name. */
  create(route: Omit<Route, "name">, hint: string, signal: AbortSignal): Promise<void>
  /** Succeeds where there is none. */
  delete(route: Route, signal: AbortSignal): Promise<void>
}

export interface Route {
  readonly name: string
  /** Empty: the cloud knows no node of the cluster that it leads to. */
  readonly targetNode: string
  /** Where the cloud sends it to, where it says so: a route to an address that the node no longer has is made anew. */
  readonly targetAddress?: string
  /** "10.244.1.0/24" */
  readonly destination: string
  /** It leads nowhere: its machine is gone. */
  readonly blackhole?: boolean
}
