import type { ProvisioningStatus } from "../../clients/octavia/types.ts"
import { octaviaProblem } from "../rest/problem.ts"
import type { OctaviaState, PartRow, Parts } from "./state.ts"

/** A part that a piece of work is about. */
export interface Touched {
  readonly parts: Pick<Parts<PartRow>, "change"> & { readonly rows: Map<string, unknown> }
  readonly id: string
  readonly becomes: "PENDING_CREATE" | "PENDING_UPDATE" | "PENDING_DELETE"
}

/** One of the parts of a state, for the table of touched parts. */
export function touched<Row extends PartRow>(parts: Parts<Row>, id: string, becomes: Touched["becomes"]): Touched {
  return { parts: parts as unknown as Touched["parts"], id, becomes }
}

/** Only an ACTIVE load balancer takes changes of what is below it. */
export function refuseUnlessActive(state: OctaviaState, balancer: string): void {
  if (state.balancers.get(balancer).provisioning_status === "ACTIVE") return
  throw octaviaProblem(409, `Load Balancer ${balancer} is immutable and cannot be updated.`)
}

/**
 * The life of a change: the load balancer and the parts on the way are PENDING, the work takes its time, and everything is ACTIVE again,
 * or gone. Where the work fails, what was to be changed is in ERROR and the load balancer ACTIVE.
 */
export function changeBelow(
  state: OctaviaState,
  balancer: string,
  about: readonly Touched[],
  way: readonly Touched[] = [],
  done = nothing,
): void {
  setAll([...about, ...way])
  state.balancers.change(balancer, { provisioning_status: "PENDING_UPDATE" })
  const { clock, knobs } = state.around
  clock.timer(knobs.loadBalancerDelay, `work on load balancer ${balancer}`, () => {
    if (knobs.loadBalancerFails) finish(about, "ERROR")
    else finish(about, "ACTIVE")
    finish(way, "ACTIVE")
    done()
    state.balancers.change(balancer, { provisioning_status: "ACTIVE" })
  })
}

function nothing(): void {}

function setAll(parts: readonly Touched[]): void {
  for (const { parts: of, id, becomes } of parts) of.change(id, { provisioning_status: becomes })
}

function finish(parts: readonly Touched[], status: ProvisioningStatus): void {
  for (const { parts: of, id, becomes } of parts) {
    if (becomes === "PENDING_DELETE" && status === "ACTIVE") of.rows.delete(id)
    else of.change(id, { provisioning_status: status })
  }
}
