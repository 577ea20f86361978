import type { FlowSchema, PriorityLevelConfiguration } from "@pilothouse/api/flowcontrol/v1"
import type { Draft } from "../../body/draft.ts"
import { required } from "../../validation/field-rules.ts"
import type { ResourceStrategy } from "../resource.ts"

export const flowSchema: ResourceStrategy<FlowSchema> = {
  statusKeeps: "metadata",
  generation: "spec",
  defaults({ spec }) {
    if (spec !== undefined && (spec.matchingPrecedence ?? 0) === 0) spec.matchingPrecedence = 1000
  },
  validate: ({ spec }) =>
    required(spec?.priorityLevelConfiguration?.name, "spec.priorityLevelConfiguration.name", "must reference a priority level"),
}

export const priorityLevel: ResourceStrategy<PriorityLevelConfiguration> = {
  statusKeeps: "metadata",
  generation: "spec",
  defaults({ spec }) {
    if (spec?.exempt !== undefined) {
      spec.exempt.nominalConcurrencyShares ??= 0
      spec.exempt.lendablePercent ??= 0
    }
    if (spec?.limited === undefined) return
    spec.limited.nominalConcurrencyShares ??= 30
    spec.limited.lendablePercent ??= 0
    const queuing = spec.limited.limitResponse?.queuing
    if (queuing !== undefined) defaultQueuing(queuing)
  },
  validate: ({ spec }) => required(spec?.type, "spec.type"),
}

interface Queuing {
  handSize?: number
  queues?: number
  queueLengthLimit?: number
}

/** Zero is the same as nothing said. */
function defaultQueuing(queuing: Draft<Queuing>): void {
  queuing.handSize ||= 8
  queuing.queues ||= 64
  queuing.queueLengthLimit ||= 50
}
