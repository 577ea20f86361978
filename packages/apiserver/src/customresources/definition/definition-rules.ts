import { checkDns1035Label, type FieldError, fieldError } from "@pilothouse/api"
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
} from "@pilothouse/api/apiextensions/v1"
import { oneOf, repeats, required } from "../../validation/field-rules.ts"
import { DefaultsCost } from "../schema/rules.ts"
import { schemasIn, someSchema } from "../schema/structural/schema-walk.ts"
import { approvalErrors } from "./api-approval.ts"
import { conversionErrors } from "./conversion-rules.ts"
import { type InternalSpec, internalSpec } from "./internal-spec.ts"
import { groupErrors, joinedFaults, namesErrors, objectNameErrors, unchangedErrors } from "./name-rules.ts"
import { forCreate, forUpdate, type Strictness } from "./ratchet.ts"
import { rootSchemaErrors } from "./root-schema-rules.ts"
import { goVersions } from "./schema/go-form.ts"
import { columnErrors, deprecationErrors, selectableFieldErrors, subresourceErrors } from "./version-rules.ts"

/** Returns what is wrong with a definition, in the order and with the words of upstream. `old` is what an update changes. */
export function definitionErrors(definition: CustomResourceDefinition, old?: CustomResourceDefinition): readonly FieldError[] {
  const spec = internalSpec(definition.spec)
  const strictness = old === undefined ? forCreate : forUpdate(definition.spec, old)
  return [
    ...(old === undefined ? objectNameErrors(definition) : []),
    ...specErrors(spec, strictness),
    ...(old === undefined ? [] : unchangedErrors(spec, old.spec, strictness)),
    ...statusErrors(definition),
    ...storedVersionErrors(definition),
    ...approvalErrors(definition, old),
    ...preserveErrors(definition.spec, old?.spec),
  ]
}

/** Returns what is wrong with the status: names that no definition could request. */
export function statusErrors({ status }: CustomResourceDefinition): readonly FieldError[] {
  return status?.acceptedNames === undefined ? [] : namesErrors(status.acceptedNames, "status.acceptedNames")
}

function specErrors(spec: InternalSpec, given: Strictness): readonly FieldError[] {
  const { group = "", scope, versions, names, conversion } = spec
  const preserves = spec.preserveUnknownFields === true
  const strictness =
    given.requiresStructuralSchemas || !preserves || needsStructure(spec) ? { ...given, requiresStructuralSchemas: true } : given
  const withDefaults = preserves && hasDefaults(spec)
  const converts = preserves && conversion !== undefined && conversion.strategy !== "None"
  const subresourcesOf = versionSubresources(spec)
  const cost = new DefaultsCost()
  return [
    ...groupErrors(group),
    ...oneOf(scope, ["Cluster", "Namespaced"], "spec.scope"),
    ...missingSchemaErrors(spec, strictness),
    ...(withDefaults
      ? [fieldError.invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema")]
      : []),
    ...versions.flatMap((version, index) =>
      versionErrors(version, subresourcesOf(version.name), { path: `spec.versions[${index}]`, strictness, cost }),
    ),
    ...versionListErrors(versions),
    ...(spec.version === "" ? [] : joinedFaults(checkDns1035Label(spec.version), spec.version, "spec.version")),
    ...(["plural", "singular", "kind", "listKind"] as const).flatMap((name) => required(names?.[name], `spec.names.${name}`)),
    ...(names === undefined ? [] : namesErrors(names, "spec.names")),
    ...sharedErrors(spec, strictness, cost),
    ...(converts
      ? [fieldError.invalid("spec.conversion.strategy", conversion.strategy, "must be None if spec.preserveUnknownFields is true")]
      : []),
    ...conversionErrors(conversion, strictness, "spec.conversion"),
  ]
}

function hasDefaults(spec: InternalSpec): boolean {
  return allSchemas(spec).some((schema) => someSchema(schema, (below) => below.default !== undefined))
}

const extensions = [
  "x-kubernetes-embedded-resource",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-validations",
] as const

/** Defaults and extensions have a meaning in structural schemas alone. */
function needsStructure(spec: InternalSpec): boolean {
  const hasExtension = (name: (typeof extensions)[number]) =>
    allSchemas(spec).some((schema) => someSchema(schema, (below) => below[name] !== undefined))
  return hasDefaults(spec) || extensions.some(hasExtension)
}

function allSchemas(spec: InternalSpec) {
  return [...(spec.validation?.openAPIV3Schema === undefined ? [] : [spec.validation.openAPIV3Schema]), ...schemasIn(spec)]
}

/** Of a definition that was stored without them, only served versions need a schema. */
function missingSchemaErrors({ validation, versions, preserveUnknownFields }: InternalSpec, strictness: Strictness): readonly FieldError[] {
  if (validation?.openAPIV3Schema !== undefined || (!strictness.requiresSchemas && preserveUnknownFields === true)) return []
  const why = strictness.requiresSchemas ? "" : "because otherwise all fields are pruned"
  return versions.flatMap(({ schema, served }, index) =>
    schema?.openAPIV3Schema === undefined && (strictness.requiresSchemas || served)
      ? [fieldError.required(`spec.versions[${index}].schema.openAPIV3Schema`, why)]
      : [],
  )
}

/** Returns the subresources of a version by its name; of versions with one name those of the first count. */
function versionSubresources({ versions, subresources: shared }: InternalSpec): (name: string) => CustomResourceSubresources | undefined {
  if (versions.every(({ subresources }) => subresources === undefined)) return () => shared
  const byName = new Map(versions.toReversed().map(({ name, subresources }) => [name, subresources]))
  return (name) => byName.get(name)
}

function versionErrors(
  version: CustomResourceDefinitionVersion,
  own: CustomResourceSubresources | undefined,
  { path, strictness, cost }: { readonly path: string; readonly strictness: Strictness; readonly cost: DefaultsCost },
): readonly FieldError[] {
  const { name, schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = version
  return [
    ...joinedFaults(checkDns1035Label(name), name, `${path}.name`),
    ...deprecationErrors(version.deprecated, version.deprecationWarning, path),
    ...rootSchemaErrors(schema, own?.status !== undefined, `${path}.schema`, strictness, cost),
    ...(subresources === undefined ? [] : subresourceErrors(subresources, `${path}.subresources`)),
    ...columnErrors(additionalPrinterColumns, `${path}.additionalPrinterColumns`),
    ...(selectableFields.length === 0 ? [] : selectableErrors(version, `${path}.selectableFields`, strictness)),
  ]
}

function selectableErrors(
  { name, schema, selectableFields = [] }: CustomResourceDefinitionVersion,
  path: string,
  { manySelectableFields }: Strictness,
): readonly FieldError[] {
  const root = schema?.openAPIV3Schema
  if (root !== undefined) return selectableFieldErrors(selectableFields, root, path, manySelectableFields.has(name))
  return [fieldError.invalid(path, "", "may only be set when `version.schema.openAPIV3Schema` is not included")]
}

function versionListErrors(versions: readonly CustomResourceDefinitionVersion[]): readonly FieldError[] {
  const unique = !repeats(versions.map(({ name }) => name)).includes(true)
  const stored = versions.filter(({ storage }) => storage).length
  const invalid = (text: string) => fieldError.invalid("spec.versions", goVersions(versions), text)
  return [
    ...(unique ? [] : [invalid("must contain unique version names")]),
    ...(stored === 1 ? [] : [invalid("must have exactly one version marked as storage version")]),
  ]
}

/** What all versions have in common. */
function sharedErrors(spec: InternalSpec, strictness: Strictness, cost: DefaultsCost): readonly FieldError[] {
  const { validation, subresources, additionalPrinterColumns = [], selectableFields = [] } = spec
  const hasStatus = [subresources, ...spec.versions.map((version) => version.subresources)].some((one) => one?.status !== undefined)
  return [
    ...rootSchemaErrors(validation, hasStatus, "spec.validation", strictness, cost),
    ...(subresources === undefined ? [] : subresourceErrors(subresources, "spec.subresources")),
    ...columnErrors(additionalPrinterColumns, "spec.additionalPrinterColumns"),
    ...(selectableFields.length === 0 ? [] : sharedSelectableErrors(spec, strictness)),
  ]
}

function sharedSelectableErrors({ validation, selectableFields = [] }: InternalSpec, strictness: Strictness): readonly FieldError[] {
  const path = "spec.selectableFields"
  if (validation === undefined) return [fieldError.invalid(path, "", "may only be set when validations.schema is included")]
  return selectableFieldErrors(selectableFields, validation.openAPIV3Schema ?? {}, path, strictness.manySelectableFields.has(""))
}

/** Objects may be stored in each of these versions: one that is removed from the spec would make them unreadable. */
function storedVersionErrors({ spec, status }: CustomResourceDefinition): readonly FieldError[] {
  const stored = status?.storedVersions ?? []
  const path = "status.storedVersions"
  if (stored.length === 0) return [fieldError.invalid(path, null, "must have at least one stored version")]
  const { versions = [] } = spec
  const named = new Set(versions.map(({ name }) => name))
  const places = new Map(stored.map((name, index) => [name, index]))
  const missing = versions.filter(({ name, storage }) => storage && !places.has(name))
  return [
    ...missing.map(({ name }) => fieldError.invalid(path, stored, `must have the storage version ${name}`)),
    ...[...places]
      .filter(([name]) => !named.has(name))
      .map(([name, index]) => {
        const text = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
        return fieldError.invalid(`${path}[${index}]`, name, text)
      }),
  ]
}

function preserveErrors(spec: CustomResourceDefinitionSpec, old: CustomResourceDefinitionSpec | undefined): readonly FieldError[] {
  if (spec.preserveUnknownFields !== true || old?.preserveUnknownFields === true) return []
  const text = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
  return [fieldError.invalid("spec.preserveUnknownFields", true, text)]
}
