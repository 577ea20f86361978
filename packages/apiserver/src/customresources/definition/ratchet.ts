import { deepEqual } from "@pilothouse/api"
import type { CustomResourceDefinition, CustomResourceDefinitionSpec, JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { schemasIn, someSchema } from "../schema/structural/schema-walk.ts"
import { isConditionTrue } from "./conditions.ts"
import { type ConversionOptions, caBundleFault, hasKnownReviewVersion } from "./conversion-rules.ts"
import { internalSpec } from "./internal-spec.ts"
import type { SchemaStrictness } from "./schema/list-type-rules.ts"
import { hasNonAtomicItems, mapKeyErrors } from "./schema/list-type-rules.ts"
import { schemaTypes } from "./schema/schema-rules.ts"
import { structuralErrors, structuralFault } from "./schema/structural-schema.ts"
import { hasUnprunedDefaults } from "./schema/unpruned-defaults.ts"

/** More of them make writes and watches slow. */
export const maxSelectableFields = 8

/** The rules that a stored definition may have broken before they were made: those that it broke do not hold for its updates. */
export interface Strictness extends ConversionOptions, SchemaStrictness {
  /** The scope and the kind of a definition that is served stay. */
  readonly requiresSameNames: boolean
  readonly requiresSchemas: boolean
  readonly requiresStructuralSchemas: boolean
  readonly requiresPrunedDefaults: boolean
  /** Schemas whose rules were accepted before. */
  readonly storedSchemas: readonly JSONSchemaProps[]
  /** Versions whose selectable fields may be too many; "" stands for all of them together. */
  readonly manySelectableFields: ReadonlySet<string>
}

/** Of a new definition. The certificates of its webhook are read when it is established. */
export const forCreate: Strictness = {
  requiresKnownReviewVersion: true,
  allowsInvalidCaBundle: true,
  requiresSameNames: false,
  requiresSchemas: true,
  requiresKnownTypes: true,
  requiresStructuralSchemas: true,
  requiresPrunedDefaults: true,
  storedSchemas: [],
  requiresAtomicSets: true,
  requiresMapKeys: true,
  manySelectableFields: new Set(),
}

/** Returns how strict an update is: it may keep what the stored definition has already. */
export function forUpdate(spec: CustomResourceDefinitionSpec, old: CustomResourceDefinition): Strictness {
  const schemas = schemasIn(old.spec)
  const { versions = [], conversion } = old.spec
  return {
    requiresKnownReviewVersion: hasKnownReviewVersion(conversion),
    allowsInvalidCaBundle: !isConditionTrue(old, "Established") || caBundleFault(conversion) !== undefined,
    requiresSameNames: isConditionTrue(old, "Established"),
    requiresSchemas: versions.every(({ schema }) => schema?.openAPIV3Schema !== undefined),
    requiresKnownTypes: !schemas.some((schema) => someSchema(schema, ({ type = "" }) => type !== "" && !schemaTypes.includes(type))),
    requiresStructuralSchemas: schemas.every(
      (schema) => structuralFault(schema) === undefined && structuralErrors(schema, "").length === 0,
    ),
    storedSchemas: schemas,
    requiresPrunedDefaults: !schemas.some(hasUnprunedDefaults),
    requiresAtomicSets: !schemas.some((schema) => someSchema(schema, hasNonAtomicItems)),
    requiresMapKeys: !schemas.some((schema) => someSchema(schema, (below) => mapKeyErrors(below, "").next().done === false)),
    manySelectableFields: manySelectableFields(spec, old.spec),
  }
}

function manySelectableFields(spec: CustomResourceDefinitionSpec, old: CustomResourceDefinitionSpec): ReadonlySet<string> {
  const [next, before] = [internalSpec(spec), internalSpec(old)]
  const stays = (fields: unknown, were: readonly unknown[] = []) => were.length > maxSelectableFields && deepEqual(fields, were)
  const ofVersions = next.versions.filter(({ name, selectableFields }) =>
    stays(selectableFields, before.versions.findLast((version) => version.name === name)?.selectableFields),
  )
  const ofAll = stays(next.selectableFields, before.selectableFields) ? [""] : []
  return new Set([...ofAll, ...ofVersions.map(({ name }) => name)])
}
