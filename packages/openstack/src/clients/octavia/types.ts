// The objects of Octavia as they are on the wire, with the attributes that are used here. Names are Octavia's own.

export type ProvisioningStatus = "ACTIVE" | "ERROR" | "DELETED" | "PENDING_CREATE" | "PENDING_UPDATE" | "PENDING_DELETE"

export interface IdRef {
  readonly id: string
}

interface Part {
  readonly id: string
  readonly name: string
  readonly project_id: string
  readonly provisioning_status: ProvisioningStatus
  /** Comes from heartbeats: never wait for it. */
  readonly operating_status: string
  readonly admin_state_up: boolean
  readonly tags: readonly string[]
}

/** A load balancer as Octavia answers; only the fields that are read here. */
export interface LoadBalancer extends Part {
  readonly description: string
  readonly vip_address: string
  readonly vip_subnet_id: string
  readonly vip_network_id: string
  readonly vip_port_id: string
  readonly provider: string
  readonly flavor_id: string | null
  readonly availability_zone?: string | null
  readonly listeners: readonly IdRef[]
  readonly pools: readonly IdRef[]
}

/** The body of a POST of /v2.0/lbaas/loadbalancers. */
export interface NewLoadBalancer {
  readonly name?: string
  readonly description?: string
  readonly project_id?: string
  readonly vip_subnet_id?: string
  readonly vip_network_id?: string
  readonly vip_port_id?: string
  readonly vip_address?: string
  readonly provider?: string
  readonly flavor_id?: string
  readonly availability_zone?: string
  readonly admin_state_up?: boolean
  readonly tags?: readonly string[]
  /** A whole tree in one call. */
  readonly listeners?: readonly NewListenerTree[]
}

export type LoadBalancerChange = Pick<NewLoadBalancer, "name" | "description" | "admin_state_up" | "tags">

export type ListenerProtocol = "TCP" | "UDP" | "SCTP" | "HTTP" | "HTTPS" | "TERMINATED_HTTPS"

/** A listener as Octavia answers; only the fields that are read here. */
export interface Listener extends Part {
  readonly description: string
  readonly protocol: ListenerProtocol
  readonly protocol_port: number
  readonly loadbalancers: readonly IdRef[]
  readonly default_pool_id: string | null
  readonly connection_limit: number
  readonly allowed_cidrs: readonly string[] | null
  readonly insert_headers: Readonly<Record<string, string>>
  readonly timeout_client_data: number | null
  readonly timeout_member_connect: number | null
  readonly timeout_member_data: number | null
  readonly timeout_tcp_inspect: number | null
  readonly default_tls_container_ref: string | null
}

/** The fields of a listener that may be given when it is created and changed later. */
export interface ListenerSettings {
  readonly name?: string
  readonly description?: string
  readonly default_pool_id?: string | null
  readonly connection_limit?: number
  readonly allowed_cidrs?: readonly string[] | null
  readonly insert_headers?: Readonly<Record<string, string>>
  readonly timeout_client_data?: number
  readonly timeout_member_connect?: number
  readonly timeout_member_data?: number
  readonly timeout_tcp_inspect?: number
  readonly default_tls_container_ref?: string
  readonly admin_state_up?: boolean
  readonly tags?: readonly string[]
}

export interface NewListener extends ListenerSettings {
  readonly loadbalancer_id: string
  readonly protocol: ListenerProtocol
  readonly protocol_port: number
  readonly project_id?: string
}

/** Parts of a tree are in its project: Octavia refuses project_id in them. */
export interface NewListenerTree extends Omit<NewListener, "loadbalancer_id" | "default_pool_id" | "project_id"> {
  readonly default_pool?: NewPoolTree
}

export type PoolProtocol = "TCP" | "UDP" | "SCTP" | "HTTP" | "HTTPS" | "PROXY" | "PROXYV2"

export interface SessionPersistence {
  readonly type: "SOURCE_IP" | "HTTP_COOKIE" | "APP_COOKIE"
  readonly cookie_name?: string | null
  readonly persistence_timeout?: number | null
  readonly persistence_granularity?: string | null
}

/** A pool as Octavia answers; only the fields that are read here. */
export interface Pool extends Part {
  readonly description: string
  readonly protocol: PoolProtocol
  readonly lb_algorithm: string
  readonly session_persistence: SessionPersistence | null
  readonly loadbalancers: readonly IdRef[]
  readonly listeners: readonly IdRef[]
  readonly members: readonly IdRef[]
  readonly healthmonitor_id: string | null
}

export interface PoolSettings {
  readonly name?: string
  readonly description?: string
  readonly lb_algorithm?: string
  readonly session_persistence?: SessionPersistence | null
  readonly admin_state_up?: boolean
  readonly tags?: readonly string[]
}

export interface NewPool extends PoolSettings {
  readonly protocol: PoolProtocol
  readonly lb_algorithm: string
  readonly loadbalancer_id?: string
  readonly listener_id?: string
  readonly project_id?: string
}

export interface NewPoolTree extends Omit<NewPool, "loadbalancer_id" | "listener_id" | "project_id"> {
  readonly members?: readonly Omit<NewMember, "project_id">[]
  readonly healthmonitor?: Omit<NewHealthMonitor, "pool_id" | "project_id">
}

export interface Member extends Part {
  readonly address: string
  readonly protocol_port: number
  readonly subnet_id: string | null
  readonly weight: number
  readonly backup: boolean
  readonly monitor_address: string | null
  readonly monitor_port: number | null
}

/** The body of a POST of a pool's members. */
export interface NewMember {
  readonly address: string
  readonly protocol_port: number
  readonly subnet_id?: string
  readonly name?: string
  readonly project_id?: string
  readonly weight?: number
  readonly backup?: boolean
  readonly monitor_port?: number
  readonly monitor_address?: string
  readonly admin_state_up?: boolean
  readonly tags?: readonly string[]
}

export type MemberChange = Pick<NewMember, "name" | "weight" | "backup" | "monitor_port" | "monitor_address" | "admin_state_up" | "tags">

export interface HealthMonitor extends Part {
  readonly type: string
  readonly delay: number
  readonly timeout: number
  readonly max_retries: number
  readonly max_retries_down: number
  readonly url_path: string | null
  readonly pools: readonly IdRef[]
}

/** The fields of a health monitor that may be given when it is created and changed later. */
export interface HealthMonitorSettings {
  readonly name?: string
  readonly delay?: number
  readonly timeout?: number
  readonly max_retries?: number
  readonly max_retries_down?: number
  readonly url_path?: string
  readonly http_method?: string
  readonly expected_codes?: string
  readonly admin_state_up?: boolean
  readonly tags?: readonly string[]
}

export interface NewHealthMonitor extends HealthMonitorSettings {
  readonly pool_id: string
  readonly type: "TCP" | "HTTP" | "HTTPS" | "PING" | "UDP-CONNECT" | "SCTP" | "TLS-HELLO"
  readonly delay: number
  readonly timeout: number
  readonly max_retries: number
  readonly project_id?: string
}

/** GET /loadbalancers/{id}/status */
export interface StatusTree {
  readonly loadbalancer: StatusNode & { readonly listeners: readonly ListenerStatus[]; readonly pools?: readonly PoolStatus[] }
}

export interface StatusNode {
  readonly id: string
  readonly name?: string
  readonly provisioning_status: ProvisioningStatus
  readonly operating_status: string
}

export interface ListenerStatus extends StatusNode {
  readonly pools: readonly PoolStatus[]
}

export interface PoolStatus extends StatusNode {
  readonly members: readonly (StatusNode & { readonly address: string; readonly protocol_port: number })[]
}
