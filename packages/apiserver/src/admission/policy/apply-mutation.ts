import { apiVersionOf, type KubeObject, type Schema, serviceUnavailable } from "@pilothouse/api"
import { applyJsonPatch, PatchError } from "@pilothouse/api/patch"
import { schemaOf } from "@pilothouse/api/schemas"
import type { Value } from "@pilothouse/cel"
import { jsonOf, typeNameFaults } from "@pilothouse/cel/kubernetes"
import { coerceToSchema } from "../../body/coerce-to-schema.ts"
import { SchemaMismatch } from "../../body/coerced-place.ts"
import { atomicParts, mergeValues, TypedError, typedErrors, typedFailure } from "../../managedfields/typed/index.ts"
import type { Resource } from "../../resources/resource.ts"
import { patchFailure } from "../patch-failure.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import type { PolicyErrorType } from "./policy-metrics.ts"

/** Why a mutation cannot be applied; the failurePolicy decides what becomes of the request. */
export class MutationError extends Error {
  /** For metrics. */
  readonly errorType: PolicyErrorType

  constructor(message: string, errorType: PolicyErrorType = "invalid_error") {
    super(message)
    this.errorType = errorType
  }
}

/** A literal of an expression: a field of another name is known only now where its value is dynamic. */
interface PatchOperation {
  readonly op?: string
  readonly path?: string
  readonly from?: string
  readonly value?: Value
}

/** Returns the object with the operations of a JSON patch applied; a `test` that does not hold leaves it as it is. */
export function applyPatchOperations(object: KubeObject, operations: Value): object {
  const patch = (operations as readonly Value[]).map((operation) => {
    const { op = "", path = "", from = "", value, ...others } = operation as PatchOperation
    const [unexpected] = Object.keys(others)
    if (unexpected !== undefined) throw new MutationError(`unexpected JSONPatchType field: ${unexpected}`)
    if (value !== undefined) refuseMismatch(value)
    return { op, path, ...(from !== "" && { from }), ...(value !== undefined && { value: jsonOf(value) }) }
  })
  try {
    return applyJsonPatch(object, patch) as object
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    if (error.isFailedTest) return object
    throw new MutationError(`JSON Patch: ${patchFailure(object, patch) ?? error.message}`)
  }
}

/** Returns the object with an apply configuration merged into it. Ownership stays as it is. */
export function applyObjectLiteral(object: KubeObject, literal: Value, attributes: AdmissionAttributes, resource: Resource): object {
  refuseMismatch(literal)
  const of = attributes.kind ?? resource.descriptor
  // Upstream's converter has the kinds of resources, and a Scale is none.
  if (of.kind === "Scale")
    throw refused(`failed to convert patch object to typed object: no corresponding type for ${apiVersionOf(of)}, Kind=Scale`)
  const schema = schemaFor(attributes, resource)
  const configuration = { ...(jsonOf(literal) as object), apiVersion: apiVersionOf(of), kind: of.kind }
  const errors = literalErrors(configuration, schema)
  if (errors.length > 0) throw refused(`failed to convert patch object to typed object: ${typedFailure(errors)}`)
  const atomic = atomicParts(configuration, schema)
  if (atomic.length > 0) {
    throw refused(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(", ")}`)
  }
  // Custom resources have no type in Go: what does not fit them is left to their schema.
  if (attributes.kind !== undefined || resource.decoder === undefined) refuseUnfit(configuration, schema)
  try {
    return mergeValues(object, configuration, schema) as object
  } catch (error) {
    throw error instanceof TypedError ? refused(`failed to merge patch: ${error.message}`) : error
  }
}

/** A number with a fraction, where Go has an integer: to the merge both are numbers. */
function refuseUnfit(configuration: Pick<KubeObject, "apiVersion" | "kind">, schema: Schema): void {
  try {
    coerceToSchema(configuration, schema, { unknownFields: [] })
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error
    const { apiVersion, kind } = configuration
    throw new MutationError(`unable to convert unstructured object to ${apiVersion}, Kind=${kind}: ${error.unstructured}`)
  }
}

/** A null of a literal is a value of its own, which no type has: it is checked as one that is no text, and as one that is nothing else. */
function literalErrors(configuration: object, schema: Schema): readonly string[] {
  const checked = (value: unknown) => typedErrors(value, schema, { allowDuplicates: false })
  if (!hasNull(configuration)) return checked(configuration)
  const errors = checked(replaceNulls(configuration, "NULL_VALUE"))
  return errors.length === 0 ? checked(replaceNulls(configuration, 0)) : errors
}

function hasNull(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.values(value).some(hasNull))
}

function replaceNulls(value: unknown, by: unknown): unknown {
  if (typeof value !== "object") return value
  if (value === null) return by
  if (Array.isArray(value)) return value.map((item) => replaceNulls(item, by))
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, replaceNulls(field, by)]))
}

function refused(text: string): MutationError {
  return new MutationError(`error applying patch: ${text}`)
}

function refuseMismatch(value: Value): void {
  const faults = typeNameFaults(value)
  if (faults.length > 0) throw new MutationError(`type mismatch: ${faults.join("\n")}`)
}

function schemaFor({ kind }: AdmissionAttributes, resource: Resource): Schema {
  const schema = kind === undefined ? resource.schema : schemaOf(kind)
  if (schema !== undefined) return schema
  const { group, version, kind: name } = kind ?? resource.descriptor
  throw serviceUnavailable(
    `Resource kind ${group}/${version}, Kind=${name} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`,
  )
}
