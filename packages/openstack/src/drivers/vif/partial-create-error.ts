import { messageOf, PilothouseError } from "@pilothouse/seams"
import type { Port } from "../../clients/neutron/types.ts"
import { isClearRefusal } from "../creation/create-refused.ts"
import type { PodPort } from "./pod-vif.ts"

/** Of ports created in one call some could not be placed: those were rolled back, the others are complete. */
export class PartialCreateError extends PilothouseError {
  /** In the order of the requests. */
  readonly outcomes: readonly PromiseSettledResult<PodPort>[]

  constructor(outcomes: readonly PromiseSettledResult<PodPort>[]) {
    const why = new Set(outcomes.flatMap((one) => (one.status === "rejected" ? [messageOf(one.reason)] : [])))
    super("CLOUD", [...why].join("; "), { retryable: true })
    this.outcomes = outcomes
  }

  /** It is unknown what is left of some of them. */
  get isDoubtful(): boolean {
    return this.outcomes.some((one) => one.status === "rejected" && !isClearRefusal(one.reason))
  }
}

export interface Placing {
  /** For each port the node, or the trunk, that it belongs to. */
  readonly places: readonly string[]
  /** All that belong to one place, in their order. */
  place(where: string, ports: readonly Port[]): Promise<readonly PodPort[]>
  remove(ports: readonly Port[]): Promise<void>
}

/** Places new ports. A place that refuses does not affect other ports: what was created for it is rolled back when all have answered. */
export async function placeEach(ports: readonly Port[], { places, place, remove }: Placing): Promise<readonly PodPort[]> {
  const byPlace = [...Map.groupBy(ports, (_, at) => places[at]!)]
  const done = await Promise.allSettled(byPlace.map(([where, some]) => place(where, some)))
  const outcomes = new Map<string, PromiseSettledResult<PodPort>>()
  for (const [at, [, some]] of byPlace.entries()) {
    const one = done[at]!
    if (one.status === "fulfilled") for (const value of one.value) outcomes.set(value.port.id, { status: "fulfilled", value })
    else {
      const reason: unknown = await rollBack(one.reason, () => remove(some)).catch((error: unknown) => error)
      if (byPlace.length === 1) throw reason
      for (const { id } of some) outcomes.set(id, { status: "rejected", reason })
    }
  }
  const inOrder = ports.map(({ id }) => outcomes.get(id)!)
  const whole = inOrder.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
  if (whole.length < ports.length) throw new PartialCreateError(inOrder)
  return whole
}

/**
 * Rolls back what was created when the rest of it failed, and throws the error. Where the rollback fails too, it is no clear refusal any more:
 * it is unknown what is left, and the caller has to search before it creates again.
 */
async function rollBack(error: unknown, remove: () => Promise<void>): Promise<never> {
  try {
    await remove()
  } catch (left) {
    const message = `${messageOf(error)}; what was made of it could not be removed: ${messageOf(left)}`
    throw new PilothouseError("CLOUD", message, { cause: error, retryable: true })
  }
  throw error
}
