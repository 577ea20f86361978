import { queryValue, type Random } from "@pilothouse/seams"
import type * as wire from "../../clients/nova/types.ts"
import type { Ports } from "../neutron/ports.ts"
import type { NeutronState } from "../neutron/state.ts"
import { listPage } from "../rest/list.ts"
import { Problem } from "../rest/problem.ts"
import type { Routes } from "../rest/routes.ts"
import { novaVersions } from "../rest/versions.ts"

export interface NovaOptions {
  readonly neutron: NeutronState
  readonly ports: Ports
  readonly random: Random
  readonly project: string
  /** Where servers have their address. */
  readonly network: string
}

/**
 * The servers of the embedded cloud. Clients only read them; tests and operators add, stop and delete them here.
 * Invariant: every server has one port on the network of nodes, whose device it is, and which goes with it.
 */
export class NovaState {
  readonly #servers = new Map<string, wire.Server>()
  readonly #options: NovaOptions

  constructor(options: NovaOptions) {
    this.#options = options
  }

  /** A running server with an address of its own. */
  add(name: string): wire.Server {
    const { random, ports, project, network, neutron } = this.#options
    const id = random.uuid()
    const { fixed_ips } = ports.create({ network_id: network, device_id: id, device_owner: "compute:nova", name }, project)
    const addresses = fixed_ips.map(({ ip_address }) => ({ addr: ip_address, version: 4, "OS-EXT-IPS:type": "fixed" as const }))
    const server: wire.Server = {
      id,
      name,
      status: "ACTIVE",
      hostId: "2d1f7f0d8b7b4d4f9d1f",
      flavor: { original_name: "m1.small" },
      addresses: { [neutron.networks.get(network).name]: addresses },
      accessIPv4: "",
      accessIPv6: "",
      metadata: {},
      "OS-EXT-AZ:availability_zone": "nova",
    }
    this.#servers.set(id, server)
    return server
  }

  /** Changes what a server says of itself. */
  change(name: string, change: Partial<wire.Server>): void {
    const server = this.named(name)
    this.#servers.set(server.id, { ...server, ...change })
  }

  delete(name: string): void {
    const { id } = this.named(name)
    const { neutron, ports } = this.#options
    for (const port of [...neutron.ports.values()].filter(({ device_id }) => device_id === id)) ports.delete(port.id)
    this.#servers.delete(id)
  }

  named(name: string): wire.Server {
    const found = [...this.#servers.values()].find((server) => server.name === name)
    if (found === undefined) throw novaProblem(404, `Instance ${name} could not be found.`)
    return found
  }

  get(id: string): wire.Server {
    const found = this.#servers.get(id)
    if (found === undefined) throw novaProblem(404, `Instance ${id} could not be found.`)
    return found
  }

  /** Those whose name the regular expression fits; Nova's database reads it. */
  list(name: string | undefined): readonly wire.Server[] {
    const all = [...this.#servers.values()]
    if (name === undefined) return all
    const wanted = /^\^(.*)\$$/.exec(name)?.[1]?.replaceAll(/\\(.)/g, "$1")
    return all.filter((server) => (wanted === undefined ? server.name.includes(name) : server.name === wanted))
  }
}

/** Returns the routes of Nova's API that clients here read. */
export function novaRoutes(state: NovaState): Routes {
  const place = { many: "servers", url: "http://nova.embedded/v2.1/servers/detail" }
  return {
    ...novaVersions,
    "GET /v2.1/servers/detail": ({ query }) => {
      const { name: _name, ...others } = query
      return { status: 200, value: listPage(state.list(queryValue(query, "name")), others, place) }
    },
    "GET /v2.1/servers/*": ({ parts: [id = ""] }) => ({ status: 200, value: { server: state.get(id) } }),
  }
}

function novaProblem(status: number, message: string): Problem {
  return new Problem(status, message, { itemNotFound: { code: status, message } })
}
