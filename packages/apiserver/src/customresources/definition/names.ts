import { quoted } from "@pilothouse/api"
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
} from "@pilothouse/api/apiextensions/v1"
import { type Condition, conditionOf } from "./conditions.ts"
import { caBundleFault } from "./conversion-rules.ts"

/** What becomes of the names that a definition requests. */
export interface NamesDecision {
  readonly acceptedNames: CustomResourceDefinitionNames
  readonly namesAccepted: Condition
  /** The condition that stands already where it is True. */
  readonly established: Condition
}

/**
 * Decides which of its names a definition gets. A name that another definition of its group has is not accepted, and neither is one of its own
 * resource names as another resource name; names that it has stay. `others` may be of any group.
 */
export function acceptNames(definition: CustomResourceDefinition, others: readonly CustomResourceDefinition[]): NamesDecision {
  const { names } = definition.spec
  const accepted = definition.status?.acceptedNames ?? { kind: "", plural: "" }
  const used = usedNames(definition.spec.group, [definition, ...others])
  const checks = [
    ["plural", "PluralConflict", conflictOf(used.resources, names.plural, accepted.plural)],
    ["singular", "SingularConflict", conflictOf(used.resources, names.singular, accepted.singular)],
    ["shortNames", "ShortNamesConflict", shortNameConflict(used.resources, names.shortNames, accepted.shortNames)],
    ["kind", "KindConflict", conflictOf(used.kinds, names.kind, accepted.kind)],
    ["listKind", "ListKindConflict", conflictOf(used.kinds, names.listKind, accepted.listKind)],
  ] as const
  const acceptedNames: Record<string, unknown> = {}
  for (const [field, , conflict] of checks) put(acceptedNames, field, (conflict === undefined ? names : accepted)[field])
  put(acceptedNames, "categories", names.categories)
  // The last conflict is the one that is shown.
  const [, reason, message] = checks.findLast(([, , conflict]) => conflict !== undefined) ?? []
  const namesAccepted: Condition =
    reason === undefined || message === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", reason, message }
  return {
    acceptedNames: acceptedNames as unknown as CustomResourceDefinitionNames,
    namesAccepted,
    established: establishedAfter(conditionOf(definition, "Established"), namesAccepted.status === "True"),
  }
}

/** Returns the condition of a definition whose names are accepted: it is served, unless its conversion webhook could never be called. */
export function establishedCondition({ spec }: CustomResourceDefinition): Condition {
  if (caBundleFault(spec.conversion) !== undefined) {
    return { type: "Established", status: "False", reason: "InvalidCABundle", message: "The conversion webhook CABundle is invalid" }
  }
  return { type: "Established", status: "True", reason: "InitialNamesAccepted", message: "the initial names have been accepted" }
}

/** Established begins False, also when names are accepted: another write sets it True once the kind is served. */
function establishedAfter(old: CustomResourceDefinitionCondition | undefined, accepted: boolean): Condition {
  if (accepted && old?.status !== "True") {
    return { type: "Established", status: "False", reason: "Installing", message: "the initial names have been accepted" }
  }
  if (old === undefined) return { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" }
  const { lastTransitionTime: _time, ...condition } = old
  return condition
}

interface UsedNames {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

function usedNames(group: string, definitions: readonly CustomResourceDefinition[]): UsedNames {
  const names = definitions.filter(({ spec }) => spec.group === group).map(({ status }) => status?.acceptedNames)
  return {
    resources: new Set(names.flatMap((accepted) => [accepted?.plural ?? "", accepted?.singular ?? "", ...(accepted?.shortNames ?? [])])),
    kinds: new Set(names.flatMap((accepted) => [accepted?.kind ?? "", accepted?.listKind ?? ""])),
  }
}

function conflictOf(used: ReadonlySet<string>, requested = "", accepted = ""): string | undefined {
  return requested === accepted || !used.has(requested) ? undefined : `${quoted(requested)} is already in use`
}

function shortNameConflict(
  used: ReadonlySet<string>,
  requested: readonly string[] = [],
  accepted: readonly string[] = [],
): string | undefined {
  const own = new Set(accepted)
  const conflicts = new Set(requested.filter((name) => !own.has(name)).flatMap((name) => conflictOf(used, name) ?? []))
  return conflicts.size > 1 ? `[${[...conflicts].join(", ")}]` : [...conflicts][0]
}

function put(target: Record<string, unknown>, field: string, value: unknown): void {
  if (value !== undefined) target[field] = value
}
