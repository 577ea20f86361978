// A cloud provider of one's own. Try it: pilothouse run --cloud-provider ./examples/cloud-provider/provider.ts --cloud-config lab.json
import type { Node, Service } from "@pilothouse/api/core/v1"
import {
  BalancerNotFound,
  type CloudProvider,
  type CloudProviderOptions,
  InstanceNotFound,
  type Instances,
  type LoadBalancers,
  type Routes,
} from "@pilothouse/cloud"
import { type Lab, type LabState, labFile } from "./lab.ts"

/** What `--cloud-provider` calls. The file of --cloud-config is `{ "lab": "/var/lib/lab.json" }`. */
export function createCloudProvider({ clusterName, config }: CloudProviderOptions): CloudProvider {
  if (config === "") throw new Error('expected --cloud-config with a file such as { "lab": "/var/lib/lab.json" }, found none')
  const { lab } = JSON.parse(config) as { readonly lab: string }
  return labProvider(labFile(lab), clusterName)
}

export function labProvider(lab: Lab, clusterName: string): CloudProvider {
  return {
    name: "lab",
    clusterName,
    instances: instances(lab),
    routes: routes(lab, clusterName),
    loadBalancers: loadBalancers(lab, clusterName),
  }
}

const prefix = "lab:///"

function instances(lab: Lab): Instances {
  const machineOf = async (node: Node, signal: AbortSignal) => {
    const name = node.spec?.providerID?.slice(prefix.length) ?? node.metadata.name ?? ""
    const machine = (await lab.read(signal)).machines[name]
    return machine && { name, ...machine }
  }
  return {
    exists: async (node, signal) => (await machineOf(node, signal)) !== undefined,
    isShutDown: async (node, signal) => (await machineOf(node, signal))?.isOff ?? false,
    async metadata(node, signal) {
      const machine = await machineOf(node, signal)
      if (machine === undefined) throw new InstanceNotFound(`the lab has no machine for the node ${node.metadata.name}`)
      const { name, address, rack } = machine
      return { providerId: `${prefix}${name}`, zone: rack, addresses: [{ type: "InternalIP", address }] }
    },
  }
}

function routes(lab: Lab, cluster: string): Routes {
  const nameOf = (destination: string) => `${cluster}/${destination}`
  return {
    async list(signal) {
      const { routes } = await lab.read(signal)
      const ours = Object.entries(routes).filter(([name]) => name.startsWith(`${cluster}/`))
      return ours.map(([name, { machine, range }]) => ({ name, targetNode: machine, destination: range }))
    },
    create: ({ targetNode, destination }, _hint, signal) =>
      lab.change(({ routes, ...rest }) => {
        if (routes[nameOf(destination)]?.machine === targetNode) return undefined
        return { ...rest, routes: { ...routes, [nameOf(destination)]: { machine: targetNode, range: destination } } }
      }, signal),
    delete: ({ name }, signal) =>
      lab.change(({ routes, ...rest }) => {
        const { [name]: gone, ...others } = routes
        return gone && { ...rest, routes: others }
      }, signal),
  }
}

function loadBalancers(lab: Lab, cluster: string): LoadBalancers {
  // The cluster and the UID: a Service that is created again, and one of another cluster, have balancers of their own.
  const name = ({ metadata: { uid } }: Service) => `${cluster}-${uid}`
  const statusOf = (address: string) => ({ ingress: [{ ip: address }] })
  return {
    name,
    async get(service, signal) {
      const found = (await lab.read(signal)).balancers[name(service)]
      return found && statusOf(found.address)
    },
    async ensure(service, nodes, signal) {
      const ports = portsOf(service, nodes)
      const made = { address: "", changed: false }
      await lab.change(({ balancers, ...rest }) => {
        const found = balancers[name(service)]
        made.address = found?.address ?? freeAddress(balancers)
        made.changed = found?.ports.join() !== ports.join()
        return made.changed ? { ...rest, balancers: { ...balancers, [name(service)]: { address: made.address, ports } } } : undefined
      }, signal)
      return { status: statusOf(made.address), changed: made.changed }
    },
    update: (service, nodes, signal) =>
      lab.change(({ balancers, ...rest }) => {
        const found = balancers[name(service)]
        if (found === undefined) throw new BalancerNotFound(`there is no balancer ${name(service)}`)
        const ports = portsOf(service, nodes)
        if (found.ports.join() === ports.join()) return undefined
        return { ...rest, balancers: { ...balancers, [name(service)]: { ...found, ports } } }
      }, signal),
    ensureDeleted: (service, signal) =>
      lab.change(({ balancers, ...rest }) => {
        const { [name(service)]: gone, ...others } = balancers
        return gone && { ...rest, balancers: others }
      }, signal),
  }
}

function portsOf({ spec }: Service, nodes: readonly Node[]): readonly string[] {
  const names = nodes.map(({ metadata }) => metadata.name).sort()
  return (spec?.ports ?? []).map(({ port, nodePort }) => `${port} to ${nodePort} of ${names.join(", ") || "no node"}`)
}

function freeAddress(balancers: LabState["balancers"]): string {
  const taken = new Set(Object.values(balancers).map(({ address }) => address))
  for (let last = 1; last < 255; last++) if (!taken.has(`192.0.2.${last}`)) return `192.0.2.${last}`
  throw new Error("expected a free address in 192.0.2.0/24, found none")
}
