import { deepEqual } from "@pilothouse/api"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { approvalCondition } from "./api-approval.ts"
import { isConditionTrue, withCondition } from "./conditions.ts"
import { acceptNames, establishedCondition } from "./names.ts"

/**
 * Returns a definition with the status that the server writes next, or the definition itself where there is none: names are accepted first, then it is
 * established, and watchers see both. `others` are the definitions whose names are in use.
 */
export function nextStatus(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  now: number,
): CustomResourceDefinition {
  const named = withNames(definition, others, now)
  const approval = approvalCondition(definition)
  const accepted = approval === undefined ? named : withCondition(named, approval, now)
  if (accepted !== definition) return accepted
  if (!isConditionTrue(definition, "NamesAccepted") || isConditionTrue(definition, "Established")) return definition
  return withCondition(definition, establishedCondition(definition), now)
}

/** Names that were accepted once are not decided again, whatever became of the conditions. */
function withNames(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  now: number,
): CustomResourceDefinition {
  if (deepEqual(definition.spec.names, definition.status?.acceptedNames)) return definition
  const { acceptedNames, namesAccepted, established } = acceptNames(definition, others)
  const decided = withCondition(withCondition(definition, namesAccepted, now), established, now)
  if (deepEqual(acceptedNames, decided.status?.acceptedNames)) return decided
  return { ...decided, status: { ...decided.status, acceptedNames } }
}
