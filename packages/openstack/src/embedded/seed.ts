import type { Random } from "@pilothouse/seams"
import type { Account, KeystoneService } from "./keystone/keystone-service.ts"
import { createNetwork, createSubnet } from "./neutron/networks.ts"
import type { Ports } from "./neutron/ports.ts"
import { addInterface, createRouter } from "./neutron/routers.ts"
import { createGroup, createRule } from "./neutron/security-groups.ts"
import type { NeutronState } from "./neutron/state.ts"

/** Where the cloud begins: what an operator would have made for a cluster. */
export interface EmbeddedSeed {
  readonly user: Account
  readonly projectName: string
  readonly project: string
  readonly serviceProject: string
  readonly podNetwork: string
  readonly podSubnet: string
  readonly serviceNetwork: string
  readonly serviceSubnet: string
  readonly nodeNetwork: string
  readonly nodeSubnet: string
  readonly publicNetwork: string
  readonly publicSubnet: string
  readonly router: string
  /** Lets everything in. */
  readonly podSecurityGroup: string
}

interface Around {
  readonly keystone: KeystoneService
  readonly neutron: NeutronState
  readonly ports: Ports
  readonly random: Random
}

/** Gives a new cloud a project, a user with a random password, networks, subnets, a router and security groups for kuryr. */
export function seedCloud({ keystone, neutron, ports, random }: Around): EmbeddedSeed {
  const [project, serviceProject] = [hexadecimal(random), hexadecimal(random)]
  const projectName = "k8s"
  keystone.projects.set(projectName, project).set("service", serviceProject)
  const credential = { id: hexadecimal(random), secret: hexadecimal(random), project: projectName }
  const roles = ["admin", "member", "load-balancer_member"]
  const user = {
    id: hexadecimal(random),
    name: "kuryr",
    // The cloud may be served on a port of this host, which every local user can reach.
    password: hexadecimal(random),
    projects: [projectName],
    roles,
    applicationCredential: credential,
  }
  keystone.accounts.set(user.id, user)
  const net = (name: string, cidr: string, subnet: object = {}, network: object = {}) => {
    const made = createNetwork(neutron, { name, ...network }, project)
    return [made.id, createSubnet(neutron, { name, network_id: made.id, ip_version: 4, cidr, ...subnet }, project).id] as const
  }
  const outside = { "router:external": true }
  const [publicNetwork, publicSubnet] = net("public", "172.24.4.0/24", { enable_dhcp: false, gateway_ip: "172.24.4.1" }, outside)
  const [podNetwork, podSubnet] = net("pods", "10.10.0.0/16", { gateway_ip: "10.10.0.1" })
  // Cluster IPs are of the lower half; what Octavia takes for itself comes from the upper one.
  const upper = { gateway_ip: "10.20.255.254", enable_dhcp: false, allocation_pools: [{ start: "10.20.128.1", end: "10.20.255.253" }] }
  const [serviceNetwork, serviceSubnet] = net("services", "10.20.0.0/16", upper)
  const [nodeNetwork, nodeSubnet] = net("nodes", "192.168.0.0/24", { gateway_ip: "192.168.0.1" })
  const router = createRouter(neutron, { name: "k8s", external_gateway_info: { network_id: publicNetwork } }, project).id
  for (const subnet of [podSubnet, serviceSubnet, nodeSubnet]) addInterface(neutron, ports, router, subnet)
  const podSecurityGroup = createGroup(neutron, { name: "pods" }, project).id
  createRule(neutron, { security_group_id: podSecurityGroup, direction: "ingress" }, project)
  const networks = { podNetwork, podSubnet, serviceNetwork, serviceSubnet, nodeNetwork, nodeSubnet, publicNetwork, publicSubnet }
  return { user, projectName, project, serviceProject, ...networks, router, podSecurityGroup }
}

/** Keystone's ids have no dashes. */
function hexadecimal(random: Random): string {
  return random.uuid().replaceAll("-", "")
}
