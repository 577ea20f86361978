import type { Clock, Random } from "@pilothouse/seams"
import type * as wire from "../../clients/octavia/types.ts"
import type { Ports } from "../neutron/ports.ts"
import type { NeutronState } from "../neutron/state.ts"
import type { EmbeddedKnobs } from "../rest/knobs.ts"
import { octaviaProblem } from "../rest/problem.ts"

type Stamped<T> = T & { readonly created_at: string; readonly tenant_id: string }
export type BalancerRow = Stamped<Omit<wire.LoadBalancer, "listeners" | "pools">> & {
  /** The VIP port was the caller's own: it stays when the load balancer goes. */
  readonly keepsPort: boolean
}
export type ListenerRow = Stamped<Omit<wire.Listener, "loadbalancers">> & { readonly balancer: string }
export type PoolRow = Stamped<Omit<wire.Pool, "loadbalancers" | "listeners" | "members" | "healthmonitor_id">> & {
  readonly balancer: string
}
export type MemberRow = Stamped<wire.Member> & { readonly pool: string }
export type MonitorRow = Stamped<Omit<wire.HealthMonitor, "pools">> & { readonly pool: string }

export type PartRow = { readonly id: string; readonly provisioning_status: wire.ProvisioningStatus; readonly project_id: string }

/** Rows of one kind, in the order in which they were made. */
export class Parts<Row extends PartRow> {
  readonly rows = new Map<string, Row>()
  readonly #what: string

  constructor(what: string) {
    this.#what = what
  }

  get(id: string): Row {
    const row = this.rows.get(id)
    if (row === undefined) throw octaviaProblem(404, `${this.#what} ${id} not found.`)
    return row
  }

  put(row: Row): Row {
    this.rows.set(row.id, Object.freeze(row))
    return row
  }

  /** Does nothing where it is gone: work may end after what it was about. */
  change(id: string, change: Partial<Row>): void {
    const row = this.rows.get(id)
    if (row !== undefined) this.put({ ...row, ...change })
  }

  where(test: (row: Row) => boolean): readonly Row[] {
    return [...this.rows.values()].filter(test)
  }
}

/** What the service's own user and the network service are for Octavia. */
export interface OctaviaSurroundings {
  readonly clock: Clock
  readonly random: Random
  readonly knobs: EmbeddedKnobs
  readonly neutron: NeutronState
  readonly ports: Ports
  /** The project in which Octavia keeps what the user shall not touch. */
  readonly serviceProject: string
}

/** All rows of the embedded Octavia. Invariant: a row names only parents that exist. */
export class OctaviaState {
  readonly balancers = new Parts<BalancerRow>("Load Balancer")
  readonly listeners = new Parts<ListenerRow>("Listener")
  readonly pools = new Parts<PoolRow>("Pool")
  readonly members = new Parts<MemberRow>("Member")
  readonly monitors = new Parts<MonitorRow>("Health Monitor")
  readonly quotas = new Map<string, Map<string, number>>()
  readonly around: OctaviaSurroundings

  constructor(around: OctaviaSurroundings) {
    this.around = around
  }

  /** What every new part begins with. */
  fresh(project: string) {
    const created_at = new Date(this.around.clock.now()).toISOString().slice(0, 19)
    return {
      id: this.around.random.uuid(),
      name: "",
      description: "",
      project_id: project,
      tenant_id: project,
      provisioning_status: "PENDING_CREATE" as const,
      operating_status: "OFFLINE",
      admin_state_up: true,
      tags: [] as readonly string[],
      created_at,
    }
  }
}

const resources = {
  load_balancer: "balancers",
  listener: "listeners",
  pool: "pools",
  member: "members",
  health_monitor: "monitors",
} as const
const words = { load_balancer: "Load Balancer", listener: "Listener", pool: "Pool", member: "Member", health_monitor: "Health Monitor" }

export type OctaviaResource = keyof typeof resources

export const octaviaResources = Object.keys(resources) as readonly OctaviaResource[]

export function checkOctaviaQuota(state: OctaviaState, resource: OctaviaResource, project: string, more = 1): void {
  const limit = state.quotas.get(project)?.get(resource) ?? -1
  if (limit < 0 || more === 0) return
  const parts: Iterable<PartRow> = state[resources[resource]].rows.values()
  let used = more
  for (const part of parts) if (part.project_id === project) used++
  if (used > limit) throw octaviaProblem(403, `Quota has been met for resources: ${words[resource]}`)
}
