import type * as wire from "../../clients/neutron/types.ts"
import { neutronProblem } from "../rest/problem.ts"
import type { Agent } from "./agent.ts"
import { checkQuota } from "./quotas.ts"
import type { NeutronState } from "./state.ts"

/** The trunks of the embedded Neutron. Invariant: a port is the parent or a subport of at most one trunk. */
export class Trunks {
  readonly #state: NeutronState
  readonly #agent: Agent

  constructor(state: NeutronState, agent: Agent) {
    this.#state = state
    this.#agent = agent
  }

  create(requested: wire.NewTrunk, project: string): wire.Trunk {
    const state = this.#state
    const parent = state.ports.get(requested.port_id)
    if (state.trunkOfParent.has(parent.id) || state.trunkOfSubport.has(parent.id) || parent["binding:host_id"] !== "") {
      throw neutronProblem(409, "ParentPortInUse", `Port ${parent.id} is currently in use and is not eligible for use as a parent port.`)
    }
    const owner = requested.project_id ?? project
    checkQuota(state, "trunk", owner)
    const { sub_ports = [], ...rest } = requested
    const trunk = state.trunks.put({
      ...state.fresh(owner),
      name: "",
      status: "DOWN",
      admin_state_up: true,
      ...rest,
      project_id: owner,
      sub_ports: [],
    })
    state.trunkOfParent.set(parent.id, trunk.id)
    return sub_ports.length === 0 ? trunk : this.addSubports(trunk.id, sub_ports)
  }

  delete(id: string): void {
    const trunk = this.#state.trunks.get(id)
    const parent = this.#state.ports.find(trunk.port_id)
    if (parent !== undefined && parent["binding:host_id"] !== "")
      throw neutronProblem(409, "TrunkInUse", `Trunk ${id} is currently in use.`)
    for (const { port_id } of trunk.sub_ports) this.#state.trunkOfSubport.delete(port_id)
    this.#state.trunkOfParent.delete(trunk.port_id)
    this.#state.trunks.delete(id)
  }

  addSubports(id: string, requested: readonly wire.SubPort[]): wire.Trunk {
    const state = this.#state
    const trunk = state.trunks.get(id)
    const taken = new Set(trunk.sub_ports.map(({ segmentation_id }) => segmentation_id))
    for (const { port_id, segmentation_id, segmentation_type } of requested) {
      state.ports.get(port_id)
      if (state.trunkOfSubport.has(port_id)) throw neutronProblem(409, "TrunkPortInUse", `Port ${port_id} is in use by another trunk.`)
      if (taken.has(segmentation_id)) {
        throw neutronProblem(
          409,
          "DuplicateSubPort",
          `segmentation_type ${segmentation_type} and segmentation_id ${segmentation_id} already in use on trunk ${id}.`,
        )
      }
      taken.add(segmentation_id)
    }
    for (const { port_id } of requested) state.trunkOfSubport.set(port_id, id)
    this.#agent.subportsAdded(
      trunk.port_id,
      requested.map(({ port_id }) => port_id),
    )
    return state.trunks.change(id, { sub_ports: [...trunk.sub_ports, ...requested] })
  }

  removeSubports(id: string, requested: readonly { readonly port_id: string }[]): wire.Trunk {
    const state = this.#state
    const trunk = state.trunks.get(id)
    for (const { port_id } of requested) {
      if (state.trunkOfSubport.get(port_id) === id) continue
      throw neutronProblem(404, "SubPortNotFound", `SubPort ${port_id} on trunk ${id} could not be found.`)
    }
    const going = new Set(requested.map(({ port_id }) => port_id))
    for (const port of going) {
      state.trunkOfSubport.delete(port)
      if (state.ports.find(port) !== undefined) state.ports.change(port, { device_owner: "" })
    }
    return state.trunks.change(id, { sub_ports: trunk.sub_ports.filter(({ port_id }) => !going.has(port_id)) })
  }

  /** A parent port shows its trunk. */
  details(port: wire.Port): wire.Port {
    const id = this.#state.trunkOfParent.get(port.id)
    if (id === undefined) return port
    const sub_ports = this.#state.trunks.get(id).sub_ports.map((sub) => {
      return { ...sub, mac_address: this.#state.ports.find(sub.port_id)?.mac_address ?? "" }
    })
    return { ...port, trunk_details: { trunk_id: id, sub_ports } }
  }
}
