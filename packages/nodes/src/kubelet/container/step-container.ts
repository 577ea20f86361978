import type { ContainerStatus } from "@pilothouse/api/core/v1"
import { smallestOf } from "@pilothouse/seams"
import { type ContainerView, containerRules } from "./container-rules.ts"
import type { KubeletEvent } from "./kubelet-event.ts"
import type { ProcessOrder } from "./process-facts.ts"
import { processRules } from "./process-rules.ts"

/** A container after all that is due has happened. */
export interface Stepped {
  readonly status: ContainerStatus
  readonly events: readonly KubeletEvent[]
  /** What happened, in words. */
  readonly reason: readonly string[]
  /** When something happens next. */
  readonly due: number | undefined
  readonly order?: ProcessOrder
}

/** More than any container does at one instant: two runs and a back-off are five. */
const maxSteps = 20

/** Takes a container to where it should be by now. */
export function stepContainer(view: ContainerView, now: number): Stepped {
  const rules = view.process === undefined ? containerRules : processRules
  let { status } = view
  const events: KubeletEvent[] = []
  const reason: string[] = []
  for (let steps = 0; steps < maxSteps; steps++) {
    const seen = { ...view, status }
    const moments = rules.map((rule) => ({ rule, at: rule.at(seen, now) }))
    const due = moments.find(({ at }) => at !== undefined && at <= now)
    if (due?.at === undefined) return { status, events, reason, due: earliest(moments.map(({ at }) => at)) }
    const change = due.rule.happens(seen, now, due.at)
    status = change.status
    events.push(...(change.events ?? []))
    if (change.order !== undefined) return { status, events, reason, due: undefined, order: change.order }
    reason.push(`${view.container.name}: ${due.rule.reason}`)
  }
  return { status, events, reason, due: now + 1000 }
}

/** Returns the earliest of the known moments. */
export function earliest(moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((moment) => moment !== undefined)
  return known.length === 0 ? undefined : smallestOf(known)
}
