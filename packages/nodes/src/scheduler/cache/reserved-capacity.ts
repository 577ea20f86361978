import { type CustomOperation, type Executor, executor } from "@pilothouse/runtime"
import type { PodFacts } from "../pod/pod-facts.ts"
import type { Attempts } from "../queue/attempts.ts"
import type { NodeStates } from "./node-states.ts"

/** Milliseconds for which capacity is reserved while volumes are bound, as upstream's bindTimeoutSeconds. */
export const bindTimeout = 600_000

/** Counts a pod on its node before the cache does. */
export interface AssumePod extends CustomOperation {
  readonly do: "assume-pod"
  readonly pod: PodFacts
  readonly node: string
  /** Milliseconds since 1970: when the reservation ends; undefined: the pod was bound, and the informer will show the outcome. */
  readonly until?: number
}

/** Releases the capacity that is reserved for a pod. */
interface ReleasePlace extends CustomOperation {
  readonly do: "release-place"
  readonly uid: string
}

/** Keeps the capacity of evicted pods from pods of lower priority, before the informer shows the nomination. */
interface NominatePod extends CustomOperation {
  readonly do: "nominate-pod"
  readonly pod: PodFacts
  readonly node: string
}

/** Returns the operation that nominates the pod to the node. */
export function nominate(pod: PodFacts, node: string): NominatePod {
  return { do: "nominate-pod", to: pod.key, reason: `others leave ${node} for it`, pod, node }
}

/** Returns the operation that counts the pod on the node. */
export function assume(pod: PodFacts, node: string, reason: string, until?: number): AssumePod {
  return { do: "assume-pod", to: pod.key, reason, pod, node, until }
}

/** Returns the operation that releases the pod's reserved capacity. */
export function release({ key, uid }: PodFacts, reason: string): ReleasePlace {
  return { do: "release-place", to: key, reason, uid }
}

/** Executes these operations. A pod that was deleted or bound since is skipped: nothing would ever release it. */
export function placeExecutors(states: NodeStates, attempts: Attempts): readonly Executor[] {
  return [
    executor<AssumePod>("assume-pod", async ({ pod, node, until }) => {
      if (attempts.isWaiting(pod.uid)) states.assume(pod, node, until)
    }),
    executor<NominatePod>("nominate-pod", async ({ pod, node }) => {
      if (attempts.isWaiting(pod.uid)) states.nominate(pod, node)
    }),
    executor<ReleasePlace>("release-place", async ({ uid }) => states.release(uid)),
  ]
}
