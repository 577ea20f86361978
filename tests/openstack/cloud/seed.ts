import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { CloudLayout } from "./configuration.ts"
import { Rest } from "./rest.ts"

/** The hosts on which ports can be bound. */
export const hosts = ["node1", "node2", "node3"]

/** Users, services and their addresses. */
export async function makeAccounts({ ports }: CloudLayout): Promise<void> {
  const keystone = `http://127.0.0.1:${ports.keystone}`
  const v3 = `${keystone}/v3`
  const { rest } = await Rest.login(keystone, "admin", "admin")
  const roles: string[] = []
  for (const name of ["admin", "member", "load-balancer_member"])
    roles.push((await rest.idOf(v3, "roles", name)) ?? (await rest.make(v3, "roles", "role", { name })))
  for (const [user, project, given] of [
    ["neutron", "service", roles.slice(0, 1)],
    ["octavia", "service", roles.slice(0, 1)],
    ["kuryr", "k8s", roles],
  ] as const) {
    const domain_id = "default"
    const place = (await rest.idOf(v3, "projects", project)) ?? (await rest.make(v3, "projects", "project", { name: project, domain_id }))
    const id = await rest.make(v3, "users", "user", { name: user, password: user, domain_id })
    for (const role of given) await rest.call("PUT", `${v3}/projects/${place}/users/${id}/roles/${role}`)
  }
  for (const [type, name, port] of [
    ["network", "neutron", ports.neutron],
    ["load-balancer", "octavia", ports.octavia],
  ] as const) {
    const service_id = await rest.make(v3, "services", "service", { type, name })
    for (const from of ["public", "internal", "admin"]) {
      await rest.make(v3, "endpoints", "endpoint", { service_id, interface: from, region_id: "RegionOne", url: `http://127.0.0.1:${port}` })
    }
  }
}

/** Where Octavia's machines would be reached; without a subnet, so that nothing gives them ports on it. Gives its id. */
export async function makeManagementNetwork({ ports }: CloudLayout): Promise<string> {
  const v2 = `http://127.0.0.1:${ports.neutron}/v2.0`
  const { rest } = await Rest.login(`http://127.0.0.1:${ports.keystone}`, "octavia", "service")
  return rest.make(v2, "networks", "network", { name: "management" })
}

/** Networks for pods, Services and nodes, a router to the outside, and a node port with a trunk for every host. Written to cloud.json. */
export async function makeNetworks({ directory, ports }: CloudLayout): Promise<void> {
  const keystone = `http://127.0.0.1:${ports.keystone}`
  const v2 = `http://127.0.0.1:${ports.neutron}/v2.0`
  const { rest, project } = await Rest.login(keystone, "kuryr", "k8s")
  const net = async (name: string, cidr: string, subnet: object = {}, network: object = {}) => {
    const id = await rest.make(v2, "networks", "network", { name, ...network })
    return [id, await rest.make(v2, "subnets", "subnet", { name, network_id: id, ip_version: 4, cidr, ...subnet })] as const
  }
  const outside = { "router:external": true, "provider:network_type": "flat", "provider:physical_network": "public" }
  const [publicNetwork, publicSubnet] = await net("public", "172.24.4.0/24", { enable_dhcp: false }, outside)
  const [podNetwork, podSubnet] = await net("pods", "10.10.0.0/16")
  // The range of an API server's Services. Octavia's own ports and the gateway stay at its upper end, out of the way of cluster IPs.
  const upper = { gateway_ip: "10.111.255.254", enable_dhcp: false, allocation_pools: [{ start: "10.111.0.1", end: "10.111.255.253" }] }
  const [serviceNetwork, serviceSubnet] = await net("services", "10.96.0.0/12", upper)
  const [nodeNetwork, nodeSubnet] = await net("nodes", "192.168.0.0/24")
  const router = await rest.make(v2, "routers", "router", { name: "k8s", external_gateway_info: { network_id: publicNetwork } })
  for (const subnet_id of [podSubnet, serviceSubnet, nodeSubnet])
    await rest.call("PUT", `${v2}/routers/${router}/add_router_interface`, { subnet_id })
  const group = await rest.make(v2, "security-groups", "security_group", { name: "pods" })
  await rest.make(v2, "security-group-rules", "security_group_rule", { security_group_id: group, direction: "ingress" })
  for (const [index, host] of hosts.entries())
    await makeNode(rest, v2, { host, network: nodeNetwork, subnet: nodeSubnet, address: `192.168.0.${10 + index}` })
  const login = {
    OS_AUTH_URL: `${keystone}/v3`,
    OS_USERNAME: "kuryr",
    OS_PASSWORD: "kuryr",
    OS_PROJECT_NAME: "k8s",
    OS_REGION_NAME: "RegionOne",
  }
  const networks = {
    POD_NETWORK: podNetwork,
    POD_SUBNET: podSubnet,
    SERVICE_NETWORK: serviceNetwork,
    SERVICE_SUBNET: serviceSubnet,
    NODE_SUBNET: nodeSubnet,
    PUBLIC_NETWORK: publicNetwork,
    PUBLIC_SUBNET: publicSubnet,
  }
  const facts = { ...login, PROJECT: project, ...networks, ROUTER: router, POD_SECURITY_GROUP: group }
  writeFileSync(join(directory, "cloud.json"), JSON.stringify(facts, undefined, 2))
}

interface NodePort {
  readonly host: string
  readonly network: string
  readonly subnet: string
  readonly address: string
}

/** The trunk first: a bound port can be no parent. */
async function makeNode(rest: Rest, v2: string, { host, network, subnet, address }: NodePort): Promise<void> {
  const fixed_ips = [{ subnet_id: subnet, ip_address: address }]
  const port = await rest.make(v2, "ports", "port", { name: host, network_id: network, fixed_ips })
  await rest.make(v2, "trunks", "trunk", { name: host, port_id: port })
  await rest.call("PUT", `${v2}/ports/${port}`, { port: { "binding:host_id": host, device_owner: "compute:nova" } })
}
