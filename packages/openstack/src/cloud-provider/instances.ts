import { checkLabelValue } from "@pilothouse/api"
import type { Node, NodeAddress } from "@pilothouse/api/core/v1"
import { CloudError, type InstanceMetadata, InstanceNotFound, type Instances } from "@pilothouse/cloud"
import type { OpenStack } from "../clients/cloud.ts"
import type { Server } from "../clients/nova/types.ts"

/** The machines of nodes: servers of Nova, found by the provider ID of a node, or by its name before it has one. */
export class NovaInstances implements Instances {
  readonly #cloud: Pick<OpenStack, "nova" | "region">

  constructor(cloud: Pick<OpenStack, "nova" | "region">) {
    this.#cloud = cloud
  }

  async exists(node: Node, signal: AbortSignal): Promise<boolean> {
    return (await this.#find(node, signal)) !== undefined
  }

  /** SHUTOFF is the one state in which volumes can be detached at once. */
  async isShutDown(node: Node, signal: AbortSignal): Promise<boolean> {
    return (await this.#find(node, signal))?.status === "SHUTOFF"
  }

  async metadata(node: Node, signal: AbortSignal): Promise<InstanceMetadata> {
    const server = await this.#find(node, signal)
    if (server === undefined) throw new InstanceNotFound(`there is no server of the node ${node.metadata.name}`)
    const { region } = this.#cloud
    const zone = labelValue(server["OS-EXT-AZ:availability_zone"])
    const host = labelValue(server.hostId)
    const flavor = server.flavor.original_name ?? server.flavor.id ?? ""
    return {
      providerId: `openstack:///${server.id}`,
      ...(checkLabelValue(flavor).length === 0 && flavor !== "" && { instanceType: flavor }),
      ...(zone !== "" && { zone }),
      ...(region !== undefined && { region }),
      addresses: addressesOf(server),
      ...(host !== "" && { additionalLabels: { "topology.openstack.org/host-id": host } }),
    }
  }

  async #find({ metadata: { name = "" }, spec }: Node, signal: AbortSignal): Promise<Server | undefined> {
    const { nova, region } = this.#cloud
    if (!spec?.providerID) return this.#named(name, signal)
    const [, ofRegion, id] = /^openstack:\/\/([^/]*)\/([^/]+)$/.exec(spec.providerID) ?? []
    if (id === undefined) return undefined
    if (ofRegion !== "" && ofRegion !== region)
      throw new CloudError(`expected a server of the region ${region}, found the provider ID ${spec.providerID} of the node ${name}`)
    return nova.servers.find(id, { signal })
  }

  async #named(name: string, signal: AbortSignal): Promise<Server | undefined> {
    const found = await this.#cloud.nova.servers.list({ name: `^${escaped(name)}$` }, { signal })
    if (found.length > 1) throw new CloudError(`expected one server with the name ${name}, found ${found.length}`)
    return found[0]
  }
}

/** Of a name that Nova reads as a regular expression. */
function escaped(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
}

/** The fixed addresses are internal ones; floating addresses, and those of the server for access, are external ones. */
function addressesOf({ addresses, accessIPv4, accessIPv6, metadata }: Server): readonly NodeAddress[] {
  const all = Object.values(addresses).flat()
  const of = (kind: "fixed" | "floating") => all.filter((one) => (one["OS-EXT-IPS:type"] ?? "fixed") === kind).map(({ addr }) => addr)
  const external = [...new Set([...of("floating"), accessIPv4, accessIPv6])].filter((address) => address !== "")
  return [
    ...of("fixed").map((address) => ({ type: "InternalIP" as const, address })),
    ...external.map((address) => ({ type: "ExternalIP" as const, address })),
    ...(metadata.hostname ? [{ type: "Hostname" as const, address: metadata.hostname }] : []),
  ]
}

/** What a label cannot have is replaced, as upstream does: "zone 1" → "zone-1". */
function labelValue(text = ""): string {
  const allowed = text.replaceAll(/[^\w.-]/g, "-").slice(0, 63)
  return /[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?/.exec(allowed)?.[0] ?? ""
}
