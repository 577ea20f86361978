import { apiVersionOf, badRequest, fieldError, invalid, type KubeObject, StatusError, unsupportedMediaType } from "@pilothouse/api"
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMerge,
  goFormat,
  goJsonWord,
  type JsonPatchOperation,
  PatchError,
  patchContentTypes,
} from "@pilothouse/api/patch"
import { stringifyJson } from "@pilothouse/seams"
import { undecodable } from "../body/body-value.ts"
import { SchemaMismatch } from "../body/coerced-place.ts"
import type { Draft } from "../body/draft.ts"
import { UnreadablePatch } from "../body/unreadable-patch.ts"
import { withManagedFields } from "../managedfields/object-managed-fields.ts"
import type { UpdateKind } from "../resources/generic.ts"
import type { Call } from "../server/call.ts"
import { applyObject } from "./apply-object.ts"
import { decodeValue, type ExpectedKind, expectedKind } from "./decode-object.ts"
import { type Updated, updateObject } from "./update-object.ts"

type PatchFunction = (value: unknown, patch: unknown) => unknown

/** Changes a stored object by any kind of patch; only apply creates one. */
export async function patchObject(call: Call, kind: UpdateKind): Promise<Updated> {
  if (call.contentType === patchContentTypes.apply) return applyObject(call, kind)
  const change = patchFunction(call)
  const next = (current: KubeObject) => {
    const body = patchBody(call)
    const patchable = mentionsManagedFields(body) ? withManagedFields(current) : current
    const given = patchedValue(call, call.resource.withNulls(patchable), body, change)
    const decode = () => ({ draft: decodePatched(call, given, expectedKind(call)), given })
    return call.stages.pause()?.then(decode) ?? decode()
  }
  return updateObject(call, { kind, next, again: true })
}

/** Only such a patch pays for having them in the document that it changes. */
function mentionsManagedFields(body: unknown): boolean {
  if (!Array.isArray(body)) return (body as Partial<KubeObject> | null)?.metadata?.managedFields !== undefined
  return body.some((operation: Partial<JsonPatchOperation> | null) =>
    [operation?.path, (operation as { from?: unknown } | null)?.from].some(
      (path) => typeof path === "string" && (path.startsWith("/metadata/managedFields") || path === "/metadata" || path === ""),
    ),
  )
}

const accepted: readonly string[] = Object.values(patchContentTypes)

/** Returns the function that applies the body, by its content type. */
export function patchFunction(call: Call, schema = call.resource.strategicMerge ? call.resource.schema : undefined): PatchFunction {
  const type = call.contentType
  switch (type) {
    case patchContentTypes.json:
      return (value, changes) => applyJsonPatch(value, changes as JsonPatchOperation[])
    case patchContentTypes.merge:
      return applyMergePatch
    case patchContentTypes.strategic:
      if (schema === undefined) throw unsupportedMediaType(accepted.filter((one) => one !== type))
      return (value, changes) => applyStrategicMerge(value, changes, schema)
    default:
      throw unknownPatchType(call)
  }
}

/** In the words of the router, which no such patch gets past; custom resources have none. */
function unknownPatchType({ resource }: Call): StatusError {
  if (!resource.strategicMerge) return unsupportedMediaType(accepted.filter((type) => type !== patchContentTypes.strategic))
  const { status } = unsupportedMediaType(accepted)
  return new StatusError({ ...status, message: "415: Unsupported Media Type", details: {} })
}

/** Returns the body of a patch that is to be applied now. */
export function patchBody({ body, contentType }: Call): unknown {
  if (body instanceof UnreadablePatch) throw body.refusal
  if (body === undefined) throw badRequest(undecodable(contentType, "unexpected end of JSON input"))
  if (contentType === patchContentTypes.merge && (typeof body !== "object" || Array.isArray(body))) {
    throw badRequest(undecodable(contentType, `json: cannot unmarshal ${goJsonWord(body)} into Go value of type map[string]interface {}`))
  }
  if (contentType === patchContentTypes.merge && body === null) throw badRequest("Invalid JSON Patch")
  // Go reads null as a map without fields.
  if (contentType === patchContentTypes.strategic && body === null) return {}
  return body
}

/** Decodes the result of a patch. One that is no object of the kind is refused with a 422 that shows it. */
export function decodePatched(call: Call, value: unknown, expected: ExpectedKind): Draft<KubeObject> {
  const isStrategic = call.contentType === patchContentTypes.strategic
  const named = isStrategic || expected.decoder !== undefined ? withExpectedKind(call, value, expected) : value
  try {
    return decodeValue(call, named, expected)
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 400) throw error
    const shown = isStrategic ? goFormat(call.body) : stringifyJson(value)
    throw invalid({ group: "", kind: "" }, "", [fieldError.invalid("patch", shown, mismatchOf(error, isStrategic))])
  }
}

/**
 * Returns the result of a patch as an object of the kind of the request, where it says that it is of another one: strategic patches, and those of a
 * subresource of a custom resource, cannot change that, and other patches of custom resources may not.
 */
function withExpectedKind(call: Call, value: unknown, { kind: { group, version, kind }, decoder }: ExpectedKind): unknown {
  const {
    apiVersion,
    kind: said,
    metadata,
  } = (value ?? {}) as { readonly apiVersion?: unknown; readonly kind?: unknown } & Partial<KubeObject>
  const expected = apiVersionOf({ group, version })
  if (!isWord(apiVersion) || !isWord(said) || (apiVersion === expected && said === kind)) return value
  const parts = apiVersion.split("/")
  if (decoder !== undefined && parts.length > 2) return value
  if (decoder === undefined || call.subresource !== "") return { ...(value as object), apiVersion: expected, kind }
  throw invalid({ group: parts.length === 1 ? "" : parts[0]!, kind: said }, metadata?.name ?? "", [
    ...(said === kind ? [] : [fieldError.invalid("kind", said, `must be ${kind}`)]),
    ...(apiVersion === expected ? [] : [fieldError.invalid("apiVersion", apiVersion, `must be ${expected}`)]),
  ])
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && value !== ""
}

/**
 * What the decoder says of the value, without the kind. The result of a strategic merge patch is put into Go's types directly, and has other words.
 */
function mismatchOf(error: StatusError, isStrategic: boolean): string {
  const { cause } = error
  if (cause instanceof SchemaMismatch) return isStrategic ? cause.unstructured : cause.message
  return error.message.replace(/^.*? cannot be handled as an? \w+: /, "")
}

/** A patch that does not fit is answered in upstream's words; an object of no kind is what a patch may not make. */
export function patchedValue(call: Call, current: unknown, body: unknown, change: PatchFunction): unknown {
  try {
    return change(current, body)
  } catch (error) {
    if (error instanceof PatchError) throw patchFailure(call, error)
    throw error
  }
}

function patchFailure({ resource, name }: Call, error: PatchError): StatusError {
  if (error.status === 422) {
    // Upstream says no more than this of a patch that does not apply; the cause is for our log.
    const { status } = invalid(resource.descriptor, name, [])
    const message = "the server rejected our request due to an error in our request"
    return new StatusError({ ...status, message, details: {} }, error)
  }
  const reasons = { 400: "BadRequest", 409: "Conflict", 413: "RequestEntityTooLarge", 500: undefined } as const
  const { reason: _reason, ...status } = badRequest(error.message).status
  const reason = reasons[error.status]
  return new StatusError({ ...status, ...(reason && { reason }), code: error.status }, error)
}
