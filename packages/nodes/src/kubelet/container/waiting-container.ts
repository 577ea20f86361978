import type { Container, ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import type { ContainerView } from "./container-rules.ts"
import { waitingStatus } from "./container-status.ts"
import { restarts } from "./restart.ts"

/** What is said of those that were never tried. */
export const fresh: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"])

/** Reports whether the container waits for one of the reasons. */
export function waitsFor({ status }: Pick<ContainerView, "status">, reasons: ReadonlySet<string>): boolean {
  return reasons.has(status.state?.waiting?.reason ?? "")
}

/** It waits, and what it did before is not forgotten. */
export function waitsWith({ container, status }: ContainerView, reason: string, message?: string): ContainerStatus {
  const ended = status.state?.terminated ?? status.lastState?.terminated
  const waiting = { ...waitingStatus(container, reason, message), restartCount: status.restartCount }
  return ended === undefined ? waiting : { ...waiting, lastState: { terminated: ended } }
}

/** Reports whether the container has ended and its restart policy starts it again. */
export function isToStartAgain(pod: Pod, container: Container, { state, lastState }: ContainerStatus): boolean {
  const ended = state?.terminated ?? (state?.waiting?.reason === "CrashLoopBackOff" ? lastState?.terminated : undefined)
  return ended !== undefined && restarts(pod, container, ended.exitCode)
}
