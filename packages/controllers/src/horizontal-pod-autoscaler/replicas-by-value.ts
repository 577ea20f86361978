import { isPodReady } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { wholeReplicas } from "./samples.ts"
import { isWithin, type Tolerances } from "./tolerance.ts"

/** The greatest 64-bit number: what upstream's sums stay at. */
const most = 2 ** 63

/** All values of an external metric together. */
export function totalOf(values: readonly number[]): number {
  return Math.min(
    values.reduce((sum, value) => sum + value, 0),
    most,
  )
}

/** For a target that is one value: as many times the ready pods as the value is of its target. From zero there are none to multiply. */
export function replicasByValue(ratio: number, current: number, pods: readonly Pod[], tolerances: Tolerances): number {
  if (current === 0) return wholeReplicas(ratio)
  if (isWithin(tolerances, ratio)) return current
  if (pods.length === 0) throw new Error("unable to calculate ready pods: no pods returned by selector while calculating replica count")
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod)).length
  return wholeReplicas(ratio * ready)
}

/** For a target per pod: as many pods as share the total. `running` is what the target's status says it has. */
export function replicasByShare(total: number, target: number, running: number, tolerances: Tolerances): number {
  // From zero the ratio is infinite, or not a number when there is nothing to do: then 0 / target is 0 replicas.
  return isWithin(tolerances, total / (target * running)) ? running : wholeReplicas(total / target)
}

/** What each pod has of the total, for the status. */
export function shareOf(total: number, running: number): number {
  return total >= most || running === 0 ? total : Math.ceil(total / running)
}
