import type { Pod } from "@pilothouse/api/core/v1"

/** A probe whose failure ends the process. */
export type FatalProbe = "startup" | "liveness"

/** What a probe that failed has said: "Readiness probe failed: connection refused". */
export interface Complaint {
  /** Of one run: 1, 2, 3 … */
  readonly number: number
  readonly text: string
}

/** The state of one run of a container that is a real process. */
export interface ProcessFacts {
  readonly startedAt: number
  /** It could not be started, and why: what its environment needs is not there, or there is no such program. */
  readonly failure?: { readonly reason: string; readonly message: string }
  readonly ended?: { readonly at: number; readonly exitCode: number }
  /** What its probes say; without a probe: yes. */
  readonly started: boolean
  readonly ready: boolean
  /** The probe that failed too often for it to go on. */
  readonly failed?: FatalProbe
  /** Failed probes without an event yet, the newest last. */
  readonly complaints?: readonly Complaint[]
  /** When its pod was first seen to be on its way out. */
  readonly stopWantedAt?: number
  /** When, after that, no EndpointSlice listed it any more. */
  readonly unlistedAt?: number
  /** When SIGKILL follows, once it is being stopped. */
  readonly killAt?: number
  /** The line in which it says that its port is taken, if it did. */
  readonly portTaken?: string
  /** Fields of its securityContext that have no effect on it. */
  readonly ignored?: readonly string[]
}

/** The processes of one pod. */
export interface PodProcesses {
  run(container: string, run: number): ProcessFacts | undefined
  /** Whether no EndpointSlice offers the pod to new connections any more. */
  readonly isUnlisted: boolean
}

/** An operation on a process. */
export type ProcessOrder =
  | { readonly do: "start-process"; readonly pod: Pod; readonly container: string; readonly run: number }
  /** The probe failures up to this one become events. */
  | { readonly do: "acknowledge-process"; readonly pod: Pod; readonly container: string; readonly run: number; readonly upTo: number }
  /** Records that it is about to stop, and whether it is unlisted. */
  | { readonly do: "warn-process"; readonly pod: Pod; readonly container: string; readonly run: number; readonly unlisted: boolean }
  /** SIGTERM, and SIGKILL at a moment that can come nearer, and never goes away again. */
  | { readonly do: "stop-process"; readonly pod: Pod; readonly container: string; readonly run: number; readonly killAt: number }

/** Reports whether it runs, or is about to. */
export function isLive(facts: ProcessFacts | undefined): facts is ProcessFacts {
  return facts !== undefined && facts.ended === undefined && facts.failure === undefined
}

/** Reports whether it is being stopped. */
export function isStopping({ killAt }: ProcessFacts): boolean {
  return killAt !== undefined
}

/** The image that says: run the command on this host. */
const processImage = "process"

/** Reports whether the container runs as a process of this host. */
export function isProcess({ image }: { readonly image?: string }): boolean {
  return image === processImage
}

/** Reports whether a container of the pod runs as a process of this host. */
export function hasProcesses({ spec }: Pod): boolean {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some(isProcess)
}
