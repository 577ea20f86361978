import type { Port, VifDetails } from "../../clients/neutron/types.ts"
import type { EmbeddedKnobs } from "../rest/knobs.ts"
import type { NeutronState } from "./state.ts"

interface Binding {
  readonly "binding:host_id": string
  readonly "binding:vif_type": string
  readonly "binding:vif_details": VifDetails
}

/** What Open vSwitch agents on the hosts do: ports of their hosts are bound at once and wired a little later; subports of trunks get bound too. */
export class Agent {
  readonly #state: NeutronState
  readonly #knobs: EmbeddedKnobs

  constructor(state: NeutronState, knobs: EmbeddedKnobs) {
    this.#state = state
    this.#knobs = knobs
  }

  binding(host: string): Binding {
    if (host === "") return { "binding:host_id": "", "binding:vif_type": "unbound", "binding:vif_details": {} }
    const { hosts } = this.#knobs
    if (hosts !== "any" && !hosts.includes(host)) {
      return { "binding:host_id": host, "binding:vif_type": "binding_failed", "binding:vif_details": {} }
    }
    const details = { connectivity: "l2", port_filter: true, ovs_hybrid_plug: false, datapath_type: "system", bridge_name: "br-int" }
    return { "binding:host_id": host, "binding:vif_type": "ovs", "binding:vif_details": details }
  }

  portChanged(port: Port): void {
    if (port["binding:vif_type"] !== "ovs" || port.status === "ACTIVE") return
    this.#soon(`port ${port.id} is wired`, () => this.#wire(port.id))
  }

  subportsAdded(parent: string, ports: readonly string[]): void {
    this.#soon(`subports of ${parent} are bound`, () => {
      const host = this.#state.ports.find(parent)?.["binding:host_id"] ?? ""
      if (host === "") return
      for (const id of ports) {
        if (!this.#state.trunkOfSubport.has(id) || this.#state.ports.find(id) === undefined) continue
        this.portChanged(this.#state.ports.change(id, { ...this.binding(host), device_owner: "trunk:subport" }))
      }
    })
  }

  #wire(id: string): void {
    const port = this.#state.ports.find(id)
    if (port === undefined || port.status === "ACTIVE" || port["binding:vif_type"] !== "ovs") return
    this.#state.ports.change(id, { status: "ACTIVE" })
  }

  #soon(what: string, work: () => void): void {
    const { portDelay } = this.#knobs
    if (portDelay !== "never") this.#state.clock.timer(portDelay, what, work)
  }
}
