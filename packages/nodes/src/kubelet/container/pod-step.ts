import type { Pod, PodStatus } from "@pilothouse/api/core/v1"
import type { KubeletEvent } from "./kubelet-event.ts"
import type { PodProcesses, ProcessOrder } from "./process-facts.ts"
import type { FindKeys } from "./references.ts"

/** Where a pod runs: known before it starts. */
export interface Place {
  readonly hostIP: string
  /** Left out of pods that are stopped before they had one. */
  readonly podIP?: string
}

/** What a kubelet does about a pod now. */
export interface PodStep {
  /** What its status should be; left out: as it is. */
  readonly status?: PodStatus
  /** The object can go: nothing of the pod is left on the node. */
  readonly remove?: boolean
  readonly reason: string
  readonly events: readonly KubeletEvent[]
  /** When something happens next, in milliseconds since 1970. */
  readonly due?: number
  /** What has to be done about its processes. */
  readonly orders?: readonly ProcessOrder[]
}

/** A pod as its kubelet sees it. */
export interface PodView {
  readonly pod: Pod
  readonly place: Place
  readonly now: number
  /** Only where pods may be real processes. */
  readonly processes?: PodProcesses
  /** What is there of what pods refer to; unless given, everything. */
  readonly find?: FindKeys
}
