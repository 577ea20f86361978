import { octaviaProblem } from "../rest/problem.ts"

const names = {
  load_balancer:
    "name description project_id tenant_id vip_subnet_id vip_network_id vip_port_id vip_address provider flavor_id availability_zone admin_state_up tags listeners pools",
  listener:
    "name description project_id tenant_id loadbalancer_id protocol protocol_port default_pool_id default_pool connection_limit allowed_cidrs insert_headers timeout_client_data timeout_member_connect timeout_member_data timeout_tcp_inspect default_tls_container_ref admin_state_up tags l7policies",
  pool: "name description project_id tenant_id loadbalancer_id listener_id protocol lb_algorithm session_persistence admin_state_up tags members healthmonitor",
  member: "name project_id tenant_id address protocol_port subnet_id weight backup monitor_port monitor_address admin_state_up tags",
  healthmonitor:
    "name project_id tenant_id pool_id type delay timeout max_retries max_retries_down url_path http_method expected_codes admin_state_up tags",
} as const

/** What cannot be changed once the part exists. */
const fixed = {
  load_balancer: "vip_subnet_id vip_network_id vip_port_id vip_address provider flavor_id project_id listeners",
  listener: "loadbalancer_id protocol protocol_port project_id default_pool",
  pool: "loadbalancer_id listener_id protocol project_id members healthmonitor",
  member: "address protocol_port subnet_id project_id",
  healthmonitor: "pool_id type project_id",
} as const

export type AttributeKind = keyof typeof names

/** A part of a tree is of the tree's project, and must not say so. */
export function checkTreePart(kind: AttributeKind, requested: object): void {
  const said = ["project_id", "tenant_id"].filter((name) => name in requested)
  if (said.length > 0) throw octaviaProblem(400, `Invalid input for field/attribute ${kind}. Unknown attribute: ${said.join(", ")}`)
}

/** Octavia refuses what it does not know, and in a change also what cannot change. */
export function checkAttributes(kind: AttributeKind, requested: object, change = false): void {
  const allowed = new Set(names[kind].split(" "))
  if (change) for (const name of fixed[kind].split(" ")) allowed.delete(name)
  const unknown = Object.keys(requested).filter((name) => !allowed.has(name))
  if (unknown.length > 0) throw octaviaProblem(400, `Unknown attribute for argument ${kind}: ${unknown.join(", ")}`)
}
