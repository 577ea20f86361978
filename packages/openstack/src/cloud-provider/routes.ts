import { parseCidrOrIp } from "@pilothouse/api/net"
import { CloudError, type Route, type Routes } from "@pilothouse/cloud"
import { isRefusal } from "../clients/calls/errors.ts"
import type { OpenStack } from "../clients/cloud.ts"
import type { ExtraRoute, Port } from "../clients/neutron/types.ts"
import type { Server } from "../clients/nova/types.ts"
import { KeyedMutex } from "../concurrency/keyed-mutex.ts"

/** How often a write is tried again that another client was quicker than. */
const maxConflicts = 5

/**
 * Routes to the pods of nodes as extra routes of one router. Every extra route of it is taken for the cluster's: two clusters need two routers.
 * The port of the node lets the addresses of its pods pass before the route is there, and no longer once it is gone, so that a crash leaves no route
 * whose traffic is dropped. The router's routes are written as a whole, under the revision that was read, one at a time.
 */
export class RouterRoutes implements Routes {
  readonly #cloud: Pick<OpenStack, "neutron" | "nova">
  readonly #router: string
  readonly #mutex = new KeyedMutex()

  constructor(cloud: Pick<OpenStack, "neutron" | "nova">, router: string) {
    this.#cloud = cloud
    this.#router = router
  }

  async list(signal: AbortSignal): Promise<readonly Route[]> {
    const { routes = [] } = await this.#cloud.neutron.routers.get(this.#router, { signal })
    if (routes.length === 0) return []
    const nodes = nodesByAddress(await this.#cloud.nova.servers.list({}, { signal }))
    return routes.map(({ destination, nexthop }) => {
      const targetNode = nodes.get(nexthop)
      return { name: destination, targetNode: targetNode ?? "", targetAddress: nexthop, destination, blackhole: targetNode === undefined }
    })
  }

  async create({ targetNode, targetAddress, destination }: Omit<Route, "name">, _hint: string, signal: AbortSignal): Promise<void> {
    const nexthop = targetAddress ?? (await this.#addressOf(targetNode, destination, signal))
    const port = await this.#portOf(nexthop, signal)
    if (port === undefined) throw new CloudError(`expected a port with the address ${nexthop} of the node ${targetNode}, found none`)
    await this.#changePort(port, (pairs) => (pairs.includes(destination) ? pairs : [...pairs, destination]), signal)
    await this.#change(
      (routes) => [...routes.filter((one) => one.destination !== destination || one.nexthop !== nexthop), { destination, nexthop }],
      signal,
    )
  }

  async delete({ destination, targetAddress }: Route, signal: AbortSignal): Promise<void> {
    await this.#change(
      (routes) => routes.filter((one) => one.destination !== destination || (targetAddress ?? one.nexthop) !== one.nexthop),
      signal,
    )
    const port = targetAddress === undefined ? undefined : await this.#portOf(targetAddress, signal)
    if (port !== undefined) await this.#changePort(port, (pairs) => pairs.filter((one) => one !== destination), signal)
  }

  async #addressOf(name: string, destination: string, signal: AbortSignal): Promise<string> {
    const family = parseCidrOrIp(destination)?.family
    const nodes = nodesByAddress(await this.#cloud.nova.servers.list({}, { signal }))
    const found = [...nodes].find(([address, node]) => node === name && parseCidrOrIp(address)?.family === family)?.[0]
    if (found === undefined) throw new CloudError(`expected an address of the node ${name} for ${destination}, found none`)
    return found
  }

  /** Several networks may have the address: the port is of a server. */
  async #portOf(address: string, signal: AbortSignal): Promise<Port | undefined> {
    const found = await this.#cloud.neutron.ports.list({ fixed_ips: [`ip_address=${address}`] }, { signal })
    return found.find(({ device_owner }) => device_owner.startsWith("compute:"))
  }

  async #changePort(port: Port, change: (addresses: readonly string[]) => readonly string[], signal: AbortSignal): Promise<void> {
    const { neutron } = this.#cloud
    if (port.port_security_enabled === false) return
    await this.#once(port.id, signal, async () => {
      const { allowed_address_pairs: pairs, revision_number } = await neutron.ports.get(port.id, { signal })
      const before = pairs.map(({ ip_address }) => ip_address)
      const wanted = change(before)
      if (wanted.length === before.length) return
      const kept = pairs.filter(({ ip_address }) => wanted.includes(ip_address))
      const more = wanted.filter((address) => !before.includes(address)).map((ip_address) => ({ ip_address }))
      await neutron.ports.update(port.id, { allowed_address_pairs: [...kept, ...more] }, { ifRevision: revision_number, signal })
    })
  }

  async #change(change: (routes: readonly ExtraRoute[]) => readonly ExtraRoute[], signal: AbortSignal): Promise<void> {
    const { neutron } = this.#cloud
    await this.#once(this.#router, signal, async () => {
      const { routes = [], revision_number } = await neutron.routers.get(this.#router, { signal })
      const wanted = change(routes)
      if (JSON.stringify(wanted) === JSON.stringify(routes)) return
      await neutron.routers.update(this.#router, { routes: wanted }, { ifRevision: revision_number, signal })
    })
  }

  /** Reads and writes one object at a time, and again where another client wrote in between. */
  async #once(id: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    for (let conflicts = 0; ; conflicts++) {
      try {
        await this.#mutex.run(id, work, signal)
        return
      } catch (error) {
        if (!isRefusal(error, "stale") || conflicts === maxConflicts) throw error
      }
    }
  }
}

/** A server has the name of its Node. */
function nodesByAddress(servers: readonly Server[]): ReadonlyMap<string, string> {
  return new Map(
    servers.flatMap(({ name, addresses }) =>
      Object.values(addresses)
        .flat()
        .map(({ addr }) => [addr, name] as const),
    ),
  )
}
