import { PilothouseError, type Random } from "@pilothouse/seams"
import { isRefusal } from "../../clients/calls/errors.ts"
import type { Neutron } from "../../clients/neutron/neutron.ts"
import type { Port, Trunk } from "../../clients/neutron/types.ts"
import { KeyedMutex } from "../../concurrency/keyed-mutex.ts"
import { type ClusterMarks, isOfCluster, markDescription } from "../creation/cluster-marks.ts"
import { createDeadline } from "../creation/timeouts.ts"
import { markPort } from "./mark-port.ts"
import { findTrunk, forEachNode } from "./parent-ports.ts"
import { placeEach } from "./partial-create-error.ts"
import { type PodPort, type PodVifDriver, type PortRequest, podPortOwner, spareName, subportOwner } from "./pod-vif.ts"
import { portBody } from "./port-body.ts"

const lastVlan = 4094
/** How often another VLAN is chosen when another client was quicker. */
const maxTries = 3

export interface NestedVlanOptions {
  readonly neutron: Neutron
  readonly clusterMarks: ClusterMarks
  readonly project: string
  readonly nodesSubnet: string
  readonly random: Random
}

/**
 * Pods inside virtual machines: each has a port that is a subport of its node's trunk, with a VLAN of its own.
 * A trunk is changed by one at a time: two at once would draw the same VLAN.
 */
export class NestedVlan implements PodVifDriver {
  readonly activeAtOnce = false
  readonly #options: NestedVlanOptions
  readonly #mutex = new KeyedMutex()

  constructor(options: NestedVlanOptions) {
    this.#options = options
  }

  hostFor({ hostIp }: Pick<PortRequest, "hostIp">): string {
    return hostIp
  }

  async create(requests: readonly PortRequest[], signal: AbortSignal): Promise<readonly PodPort[]> {
    const { neutron, clusterMarks, nodesSubnet } = this.#options
    const trunks = await forEachNode(requests, (host) => findTrunk(neutron, nodesSubnet, host, signal))
    const ports = await neutron.ports.createMany(
      requests.map((request) => portBody(request, clusterMarks)),
      { signal, timeout: createDeadline },
    )
    const hosts = new Map(ports.map(({ id }, at) => [id, requests[at]?.hostIp]))
    return placeEach(ports, {
      places: requests.map(({ hostIp }) => trunks.get(hostIp)!),
      place: async (trunk, some) => {
        const vlans = new Map(await this.#mutex.run(trunk, () => this.#addTo(trunk, some, signal), signal))
        return some.map((port) => ({ port, vlanId: vlans.get(port.id), host: hosts.get(port.id) }))
      },
      remove: (some) =>
        this.remove(
          some.map((port) => ({ port })),
          signal,
        ),
    })
  }

  async complete(found: PodPort, { hostIp }: PortRequest, signal: AbortSignal): Promise<PodPort> {
    if (found.vlanId !== undefined) return found
    const { neutron, nodesSubnet } = this.#options
    const trunk = await findTrunk(neutron, nodesSubnet, hostIp, signal)
    const [added] = await this.#mutex.run(trunk, () => this.#addTo(trunk, [found.port], signal), signal)
    return { ...found, vlanId: added?.[1], host: hostIp }
  }

  async find({ uid }: { readonly uid: string }, signal: AbortSignal): Promise<readonly PodPort[]> {
    const { neutron, clusterMarks } = this.#options
    return this.#withVlans(await neutron.ports.list({ description: markDescription(clusterMarks, uid) }, { signal }), signal)
  }

  async list(signal: AbortSignal): Promise<readonly PodPort[]> {
    const { neutron, project } = this.#options
    const owners = [podPortOwner, subportOwner]
    return this.#withVlans(await neutron.ports.list({ project_id: project, device_owner: owners }, { signal }), signal)
  }

  async assign(given: PodPort, { pod, groups }: PortRequest, signal: AbortSignal): Promise<PodPort> {
    return this.#rename(given, { name: pod?.name ?? spareName, security_groups: groups }, pod?.uid, signal)
  }

  mark(given: PodPort, owner: string, signal: AbortSignal): Promise<PodPort> {
    return markPort(this.#options.neutron, this.#options.clusterMarks, given, owner, signal)
  }

  async recycle(given: PodPort, { groups }: PortRequest, signal: AbortSignal): Promise<PodPort> {
    return this.#rename(given, { name: spareName, security_groups: groups }, undefined, signal)
  }

  async remove(ports: readonly PodPort[], signal: AbortSignal): Promise<void> {
    const { neutron } = this.#options
    const ids = new Set(ports.map(({ port }) => port.id))
    const trunks = await neutron.trunks.list({}, { signal })
    const theirs = trunks.map((trunk) => ({ trunk, subports: trunk.sub_ports.filter(({ port_id }) => ids.has(port_id)) }))
    // One that is slow keeps the others no longer than it must.
    await Promise.all(
      theirs.map(async ({ trunk, subports }) => {
        const leaving = subports.map(({ port_id }) => port_id)
        if (leaving.length > 0) await this.#mutex.run(trunk.id, () => this.#takeOff(trunk.id, leaving, signal), signal)
      }),
    )
    await Promise.all([...ids].map((id) => neutron.ports.delete(id, { signal })))
  }

  async #rename(
    given: PodPort,
    change: { name: string; security_groups: readonly string[] },
    owner: string | undefined,
    signal: AbortSignal,
  ) {
    const { neutron, clusterMarks } = this.#options
    return {
      ...given,
      port: await neutron.ports.update(given.port.id, { ...change, description: markDescription(clusterMarks, owner) }, { signal }),
    }
  }

  /**
   * Adds all of them with one call; a VLAN that another client took in the meantime is chosen again. A port that is on the trunk already keeps its
   * VLAN: it was added by a call whose response was lost.
   */
  async #addTo(id: string, ports: readonly Port[], signal: AbortSignal): Promise<readonly (readonly [string, number])[]> {
    const { neutron } = this.#options
    for (let tries = 1; ; tries++) {
      const trunk = await neutron.trunks.get(id, { signal })
      const vlans = new Map(trunk.sub_ports.map(({ port_id, segmentation_id }) => [port_id, segmentation_id]))
      const missing = ports.filter((port) => !vlans.has(port.id))
      const free = this.#freeVlans(trunk, missing.length)
      const subports = missing.map((port, at) => ({ port_id: port.id, segmentation_type: "vlan", segmentation_id: free[at]! }))
      try {
        if (subports.length > 0) await neutron.trunks.addSubports(id, subports, { signal })
        for (const { port_id, segmentation_id } of subports) vlans.set(port_id, segmentation_id)
        return ports.map((port) => [port.id, vlans.get(port.id)!] as const)
      } catch (error) {
        if (tries === maxTries || !isRefusal(error, "duplicate", "conflict", "in-use")) throw error
      }
    }
  }

  #freeVlans({ id, sub_ports }: Trunk, count: number): readonly number[] {
    const taken = new Set(sub_ports.map(({ segmentation_id }) => segmentation_id))
    const free = Array.from({ length: lastVlan }, (_, at) => at + 1).filter((vlan) => !taken.has(vlan))
    if (free.length < count) throw new PilothouseError("CLOUD", `the trunk ${id} has ${free.length} VLANs left, ${count} are wanted`)
    return Array.from({ length: count }, () => free.splice(this.#options.random.int(free.length), 1)[0]!)
  }

  async #takeOff(trunk: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
    try {
      await this.#options.neutron.trunks.removeSubports(trunk, ids, { signal })
    } catch (error) {
      // Another client was quicker.
      if (!isRefusal(error, "not-found")) throw error
    }
  }

  async #withVlans(ports: readonly Port[], signal: AbortSignal): Promise<readonly PodPort[]> {
    if (ports.length === 0) return []
    const { neutron, clusterMarks, nodesSubnet } = this.#options
    const trunks = await neutron.trunks.list({}, { signal })
    // Not by their ids: those of hundreds of nodes would make too long an address.
    const parents = await neutron.ports.list({ fixed_ips: [`subnet_id=${nodesSubnet}`], fields: ["id", "fixed_ips"] }, { signal })
    const nodeAddress = ({ fixed_ips }: Port) => fixed_ips.find(({ subnet_id }) => subnet_id === nodesSubnet)?.ip_address
    const hosts = new Map(parents.map((parent) => [parent.id, nodeAddress(parent)]))
    const places = new Map(
      trunks.flatMap(({ port_id: parent, sub_ports }) =>
        sub_ports.map(({ port_id, segmentation_id }) => [port_id, { vlanId: segmentation_id, host: hosts.get(parent) }] as const),
      ),
    )
    // Ports of pods on bare metal have the same device owner: ports on no trunk belong to this cluster only where they are marked so.
    return ports.filter((port) => places.has(port.id) || isOfCluster(port, clusterMarks)).map((port) => ({ port, ...places.get(port.id) }))
  }
}
