import type { ContainerStatus } from "@pilothouse/api/core/v1"
import { smallestOf } from "@pilothouse/seams"
import { type Behaviour, holds } from "../behaviour.ts"
import type { ContainerRule } from "../container/container-rules.ts"
import { startOf } from "../container/container-status.ts"
import { nextStepAfter } from "../curve.ts"
import { warning } from "../kubelet-event.ts"

/** A running container passes its startup probe, then its readiness probe, which may also fail again. */
export const readinessChange: ContainerRule = {
  reason: "its probes say otherwise now",
  at({ status, behaviour }, now) {
    const start = startOf(status)
    if (start === undefined) return undefined
    const { started, ready } = probed(behaviour, now - start)
    return started !== (status.started ?? false) || ready !== status.ready ? now : nextChange(behaviour, start, now)
  },
  happens({ status, behaviour }, now) {
    const next = probed(behaviour, now - (startOf(status) ?? now))
    const fails = status.ready && !next.ready
    const changed: ContainerStatus = { ...status, ...next }
    return { status: changed, events: fails ? [warning("Unhealthy", "Readiness probe failed: its annotation says so")] : [] }
  },
}

function probed({ startedAfter, readyAfter, ready }: Behaviour, elapsed: number): { started: boolean; ready: boolean } {
  const started = elapsed >= startedAfter
  return { started, ready: started && elapsed >= readyAfter && holds(ready, elapsed) }
}

function nextChange({ startedAfter, readyAfter, ready }: Behaviour, start: number, now: number): number | undefined {
  const moments = [startedAfter, readyAfter, nextStepAfter(ready, now - start)].filter((moment) => moment !== undefined)
  const coming = moments.map((moment) => start + moment).filter((moment) => moment > now)
  return coming.length === 0 ? undefined : smallestOf(coming)
}
