import type * as wire from "../../clients/neutron/types.ts"
import { neutronProblem } from "../rest/problem.ts"
import type { Agent } from "./agent.ts"
import { allocate, release } from "./allocate.ts"
import { checkQuota } from "./quotas.ts"
import { defaultGroup } from "./security-groups.ts"
import type { NeutronState } from "./state.ts"

const known: ReadonlySet<string> = new Set([
  ..."network_id name project_id tenant_id mac_address admin_state_up device_id device_owner description fixed_ips".split(" "),
  ..."security_groups allowed_address_pairs port_security_enabled binding:host_id binding:vnic_type binding:profile tags".split(" "),
])

/** The ports of the embedded Neutron. Invariant: every fixed IP of a port is allocated in its subnet, and released with the port. */
export class Ports {
  readonly #state: NeutronState
  readonly #agent: Agent

  constructor(state: NeutronState, agent: Agent) {
    this.#state = state
    this.#agent = agent
  }

  create(requested: wire.NewPort, project: string): wire.Port {
    const state = this.#state
    const owner = requested.project_id ?? project
    checkAttributes(requested)
    state.networks.get(requested.network_id)
    this.#checkGroups(requested.security_groups)
    checkQuota(state, "port", owner)
    const fixed_ips = allocate(state, requested.network_id, requested.fixed_ips)
    const { tags: _ignored, ...attributes } = requested
    const port: wire.Port = {
      ...state.fresh(owner),
      name: "",
      mac_address: this.#mac(),
      status: "DOWN",
      admin_state_up: true,
      device_id: "",
      device_owner: "",
      security_groups: requested.port_security_enabled === false ? [] : [defaultGroup(state, owner).id],
      allowed_address_pairs: [],
      port_security_enabled: true,
      ...attributes,
      project_id: owner,
      fixed_ips,
      revision_number: 1,
      ...this.#agent.binding(requested["binding:host_id"] ?? ""),
    }
    const made = state.ports.put(port)
    this.#agent.portChanged(made)
    return made
  }

  /** All or nothing. */
  createMany(requested: readonly wire.NewPort[], project: string): readonly wire.Port[] {
    const made: wire.Port[] = []
    try {
      for (const one of requested) made.push(this.create(one, project))
      return made
    } catch (error) {
      for (const port of made) this.#remove(port)
      throw error
    }
  }

  update(id: string, change: wire.PortChange): wire.Port {
    const state = this.#state
    const port = state.ports.get(id)
    checkAttributes(change)
    this.#checkGroups(change.security_groups)
    const addresses = change.fixed_ips === undefined ? {} : { fixed_ips: this.#moved(port, change.fixed_ips) }
    const host = change["binding:host_id"]
    const binding = host === undefined || host === port["binding:host_id"] ? {} : { status: "DOWN", ...this.#agent.binding(host) }
    const changed = state.ports.change(id, { ...(change as Partial<wire.Port>), ...addresses, ...binding })
    this.#agent.portChanged(changed)
    return changed
  }

  delete(id: string): void {
    const state = this.#state
    const port = state.ports.get(id)
    const trunk = state.trunkOfSubport.get(id)
    if (trunk !== undefined) throw neutronProblem(409, "PortInUseAsSubPort", `Port ${id} is currently a subport for trunk ${trunk}.`)
    const parent = state.trunkOfParent.get(id)
    if (parent !== undefined) {
      throw neutronProblem(409, "PortInUseAsTrunkParent", `Port ${id} is currently a parent port for trunk ${parent}.`)
    }
    this.#remove(port)
  }

  #remove(port: wire.Port): void {
    const state = this.#state
    release(state, port.fixed_ips)
    state.ports.delete(port.id)
    for (const address of state.floatingIps.values()) {
      if (address.port_id !== port.id) continue
      state.floatingIps.change(address.id, { port_id: null, fixed_ip_address: null, router_id: null, status: "DOWN" })
    }
  }

  #moved(port: wire.Port, requested: NonNullable<wire.PortChange["fixed_ips"]>): readonly wire.FixedIp[] {
    const retained = port.fixed_ips.filter((have) => requested.some((asked) => asked.ip_address === have.ip_address))
    const more = requested.filter((asked) => !retained.some((have) => have.ip_address === asked.ip_address))
    const added = more.length === 0 ? [] : allocate(this.#state, port.network_id, more)
    release(
      this.#state,
      port.fixed_ips.filter((have) => !retained.includes(have)),
    )
    return [...retained, ...added]
  }

  #checkGroups(groups: readonly string[] | undefined): void {
    for (const group of groups ?? []) this.#state.securityGroups.get(group)
  }

  #mac(): string {
    const tail = [...this.#state.random.bytes(3)].map((byte) => byte.toString(16).padStart(2, "0"))
    return `fa:16:3e:${tail.join(":")}`
  }
}

function checkAttributes(requested: object): void {
  const unknown = Object.keys(requested).filter((name) => !known.has(name))
  if (unknown.length > 0) throw neutronProblem(400, "HTTPBadRequest", `Unrecognized attribute(s) '${unknown.join(", ")}'`)
}
