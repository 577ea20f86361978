import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import type { Clock } from "@pilothouse/seams"
import type { Draft } from "../../body/draft.ts"
import type { FollowingStates, OtherDefinitions } from "../../resources/resource.ts"
import { loadPatterns } from "../schema/formats/pattern.ts"
import { bothLoaded, loadRules } from "../schema/rules.ts"
import { definitionErrors, statusErrors } from "./definition-rules.ts"
import { markDefinition } from "./deletion.ts"
import { nextStatus } from "./next-status.ts"
import { coerceDefaults } from "./schema/coerce-defaults.ts"
import { formatWarnings } from "./schema/formats.ts"

type Definition = Draft<CustomResourceDefinition>

/**
 * The rules of CustomResourceDefinitions. A write of the status may change the metadata too, as upstream: its own controllers remove their finalizer
 * there. A version that objects were stored in stays in status.storedVersions until a client removes it.
 */
export const customResourceDefinition = {
  load: loadForDefinition,
  unconditionalUpdate: false,
  marksTimeOnly: true,
  plainFinalizers: true,
  markDeleting: markDefinition,
  generation: "spec" as const,
  defaults(definition: Definition) {
    const { spec, status } = definition
    if (spec === undefined) return
    // A client that empties the list has it back with the version that is written today.
    if ((status?.storedVersions ?? []).length === 0) addStoredVersion(definition)
    defaultNames(spec.names)
    spec.conversion ??= { strategy: "None" }
    const { webhook } = spec.conversion
    if (webhook?.clientConfig?.service !== undefined) webhook.clientConfig.service.port ??= 443
  },
  prepareForCreate(definition: Definition) {
    definition.status = { acceptedNames: { kind: "", plural: "" }, conditions: [], storedVersions: [] }
    prepare(definition)
  },
  prepareForUpdate: prepare,
  statesAfterCreate,
  validate: definitionErrors,
  validateStatusUpdate: statusErrors,
  warnings: formatWarnings,
}

function defaultNames(names: Definition["spec"]["names"] | undefined): void {
  if (names?.kind === undefined || names.kind === "") return
  names.singular ||= names.kind.toLowerCase()
  names.listKind ||= `${names.kind}List`
}

function prepare(definition: Definition): void {
  addStoredVersion(definition)
  dropEmptyWebhook(definition.spec?.conversion)
  for (const { schema } of definition.spec?.versions ?? [])
    if (schema?.openAPIV3Schema !== undefined) coerceDefaults(schema.openAPIV3Schema)
}

/** Accepted names, and Established. */
function statesAfterCreate(
  created: CustomResourceDefinition,
  definitions: OtherDefinitions,
  now: number,
): FollowingStates<CustomResourceDefinition> {
  const others = definitions.othersOfGroup(created)
  const states: CustomResourceDefinition[] = []
  let state = created
  for (let next = nextStatus(state, others, now); next !== state; next = nextStatus(state, others, now)) states.push((state = next))
  const names = definitions.reserveNames(state)
  return { states, [Symbol.dispose]: () => names[Symbol.dispose]() }
}

/** A webhook that says nothing is none to upstream. */
function dropEmptyWebhook(conversion: Definition["spec"]["conversion"]): void {
  const { clientConfig, conversionReviewVersions } = conversion?.webhook ?? {}
  if (clientConfig === undefined && (conversionReviewVersions ?? []).length === 0) delete conversion?.webhook
}

/** The status may be that of the stored object, which is not changed. */
function addStoredVersion(definition: Definition): void {
  const name = definition.spec?.versions?.find(({ storage }) => storage)?.name
  const stored = definition.status?.storedVersions ?? []
  if (name !== undefined && !stored.includes(name)) definition.status = { ...definition.status, storedVersions: [...stored, name] }
}

/** Patterns for defaults that must match them, and the language of rules. A patch may leave either in the definition without naming it. */
function loadForDefinition(clock: Clock, body: unknown): Promise<void> | undefined {
  const isWhole = (body as Partial<CustomResourceDefinition> | null | undefined)?.kind === "CustomResourceDefinition"
  const needs = (key: string) => !isWhole || mentions(body, key)
  return bothLoaded(needs("pattern") ? loadPatterns(clock) : undefined, needs("x-kubernetes-validations") ? loadRules(clock) : undefined)
}

/** Reports whether any object in a value, which need not be a definition, has the key. */
function mentions(body: unknown, key: string): boolean {
  const left = [body]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== "object" || value === null) continue
    if (Object.hasOwn(value, key)) return true
    for (const below of Object.values(value)) left.push(below ?? null)
  }
  return false
}
