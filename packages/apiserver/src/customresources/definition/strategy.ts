import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import type { Draft } from "../../body/draft.ts"
import { definitionErrors, statusErrors } from "./definition-rules.ts"
import { markDefinition } from "./deletion.ts"
import { formatWarnings } from "./schema/formats.ts"
import { schemasIn, someSchema } from "./schema/schema-walk.ts"

type Definition = Draft<CustomResourceDefinition>

/**
 * The rules of CustomResourceDefinitions. A write of the status may change the metadata too, as upstream: its own controllers remove their finalizer
 * there. A version that objects were stored in stays in status.storedVersions until a client removes it.
 */
export const customResourceDefinition = {
  unconditionalUpdate: false,
  marksTimeOnly: true,
  plainFinalizers: true,
  markDeleting: markDefinition,
  generation: "spec" as const,
  defaults(definition: Definition) {
    const { spec } = definition
    if (spec === undefined) return
    defaultNames(spec.names)
    spec.conversion ??= { strategy: "None" }
    const { webhook } = spec.conversion
    if (webhook?.clientConfig?.service !== undefined) webhook.clientConfig.service.port ??= 443
  },
  prepareForCreate(definition: Definition) {
    definition.status = { acceptedNames: { kind: "", plural: "" }, conditions: [], storedVersions: [] }
    addStoredVersion(definition)
  },
  prepareForUpdate: addStoredVersion,
  validate: definitionErrors,
  validateStatusUpdate: statusErrors,
  warnings: (definition: CustomResourceDefinition, old?: CustomResourceDefinition): readonly string[] => [
    ...formatWarnings(definition, old),
    ...ruleWarnings(definition, old),
  ],
}

function defaultNames(names: Definition["spec"]["names"] | undefined): void {
  if (names?.kind === undefined || names.kind === "") return
  names.singular ||= names.kind.toLowerCase()
  names.listKind ||= `${names.kind}List`
}

/** The status may be that of the stored object, which is not changed. */
function addStoredVersion(definition: Definition): void {
  const name = definition.spec?.versions?.find(({ storage }) => storage)?.name
  const stored = definition.status?.storedVersions ?? []
  if (name !== undefined && !stored.includes(name)) definition.status = { ...definition.status, storedVersions: [...stored, name] }
}

/** Goes when rules are evaluated. */
function ruleWarnings(definition: CustomResourceDefinition, old: CustomResourceDefinition | undefined): readonly string[] {
  if (!hasRules(definition) || (old !== undefined && hasRules(old))) return []
  return ["x-kubernetes-validations is stored but has no effect yet: rules of schemas are not evaluated"]
}

function hasRules({ spec }: CustomResourceDefinition): boolean {
  return schemasIn(spec).some((schema) => someSchema(schema, (below) => below["x-kubernetes-validations"] !== undefined))
}
