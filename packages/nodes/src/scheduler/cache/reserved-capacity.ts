import { type CustomOperation, type Executor, executor } from "@pilothouse/runtime"
import type { PodFacts } from "../pod/pod-facts.ts"
import type { Attempts } from "../queue/attempts.ts"
import type { NodeStates } from "./node-states.ts"

/** Milliseconds for which a place is kept while volumes are made ready, as upstream has it (bindTimeoutSeconds). */
export const bindTimeout = 600_000

/** Counts a pod on its node before the cache does. */
export interface AssumePod extends CustomOperation {
  readonly do: "assume-pod"
  readonly pod: PodFacts
  readonly node: string
  /** Milliseconds since 1970: when the place is given up; undefined: it was bound, and the cache will say what became of it. */
  readonly until?: number
}

/** Gives up the place that was kept for a pod. */
interface ReleasePlace extends CustomOperation {
  readonly do: "release-place"
  readonly uid: string
}

/** Keeps the room that others are told to leave from those who are less important, before the cache says for whom it is. */
interface NominatePod extends CustomOperation {
  readonly do: "nominate-pod"
  readonly pod: PodFacts
  readonly node: string
}

export function nominate(pod: PodFacts, node: string): NominatePod {
  return { do: "nominate-pod", to: pod.key, reason: `others leave ${node} for it`, pod, node }
}

export function assume(pod: PodFacts, node: string, reason: string, until?: number): AssumePod {
  return { do: "assume-pod", to: pod.key, reason, pod, node, until }
}

export function release({ key, uid }: PodFacts, reason: string): ReleasePlace {
  return { do: "release-place", to: key, reason, uid }
}

/** A pod may have gone, or have come to its node, while others were written: nobody would ever take it away again. */
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
