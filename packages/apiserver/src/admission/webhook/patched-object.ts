import { apiVersionOf, deepEqual, internalError, type KubeObject, type ManagedFieldsEntry, quoted } from "@pilothouse/api"
import { applyJsonPatch, goJsonWord, maxJsonPatchOperations, PatchError } from "@pilothouse/api/patch"
import { schemaOf } from "@pilothouse/api/schemas"
import { messageOf, parseJson, stringifyJson } from "@pilothouse/seams"
import { maxValues, tooManyValues, valueCount, valuesExceed } from "../../body/body-limit.ts"
import { coerceToSchema } from "../../body/coerce-to-schema.ts"
import { type Draft, draftOf } from "../../body/draft.ts"
import { tooDeep, workableDepth } from "../../body/json-depth.ts"
import { jsonSyntaxError } from "../../body/json-syntax.ts"
import { decodeEntries, encodeEntries } from "../../managedfields/managers.ts"
import { applyDefaults } from "../../resources/generic.ts"
import type { Resource } from "../../resources/resource.ts"
import { maxObjectValues } from "../../storage/object-size.ts"
import { patchFailure } from "../patch-failure.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import { CallFailure } from "./call-webhook.ts"
import type { VersionedObjects } from "./versioned-objects.ts"

interface Patch {
  readonly patch: string
  readonly patchType: string
}

/** Applies the patch of a webhook to the object of a request, in place, and fills in defaults. Whether something has changed. */
export async function applyPatch(
  name: string,
  { patch, patchType }: Patch,
  attributes: AdmissionAttributes,
  objects: VersionedObjects,
): Promise<boolean> {
  const operations = operationsOf(name, patch)
  if (operations.length === 0) return false
  const { object } = attributes
  if (object === undefined) {
    throw internalError(`admission webhook ${quoted(name)} attempted to modify the object, which is not supported for this operation`)
  }
  if (patchType !== "JSONPatch") throw new CallFailure(name, `unsupported patch type ${quoted(patchType)}`, 400)
  const { turns } = attributes.server
  const { signal } = attributes.request
  const isLarge = patch.length > largePatch
  if (isLarge) await turns.next(signal)
  const sent = parseJson(stringifyJson(objects.review().object)) as KubeObject
  const made = patched(sent, operations)
  checkMadeValues(made, sent)
  if (isLarge) await turns.next(signal)
  return takeObject(attributes, objects, sent, made)
}

/** Characters of a patch that is applied in a turn of its own. */
const largePatch = 64 * 1024

/** As of an object that a client changes. */
function checkMadeValues(made: object, sent: object): void {
  const count = valueCount(made, maxObjectValues)
  if (count > maxObjectValues && count > valueCount(sent, count)) throw tooManyValues(maxObjectValues)
}

/** Puts what was made of the object of a request in its place and fills in defaults. Whether something has changed. */
export async function takeObject(
  attributes: AdmissionAttributes,
  objects: VersionedObjects,
  sent: KubeObject,
  made: object,
  unknownFields: "ignored" | "refused" = "ignored",
): Promise<boolean> {
  const object = attributes.object as Draft<KubeObject>
  const { draft, given, unknown } = decoded(objects.resource, attributes, made)
  if (unknownFields === "refused" && unknown.length > 0) {
    throw internalError(`strict decoding error: ${unknown.map((field) => `unknown field ${quoted(field)}`).join(", ")}`)
  }
  const converted = objects.back(draft)
  const next = converted instanceof Promise ? (draftOf(await converted) as Draft<KubeObject>) : converted
  const hasChanged = !deepEqual(next, object)
  if (attributes.kind === undefined) applyDefaults(attributes.resource, next)
  replace(object, next)
  if (!deepEqual(given, sent.metadata?.managedFields)) takeManagers(attributes, given)
  return hasChanged
}

function operationsOf(name: string, patch: string): readonly unknown[] {
  const undecodable = (why: string) => new CallFailure(name, `received undecodable patch in webhook response: ${why}`, 503)
  const bytes = new TextEncoder().encode(patch)
  const bracket = tooDeep(bytes, workableDepth)
  if (bracket !== undefined) throw undecodable(`invalid character '${bracket}' exceeded max depth`)
  if (valuesExceed(bytes)) throw undecodable(`limit of fields and list items is ${maxValues}`)
  try {
    const value = parseJson(patch)
    if (value === null) return []
    if (!Array.isArray(value)) throw undecodable(`json: cannot unmarshal ${goJsonWord(value)} into Go value of type jsonpatch.Patch`)
    if (value.length > maxJsonPatchOperations) throw undecodable(`more than ${maxJsonPatchOperations} operations`)
    return value
  } catch (error) {
    throw error instanceof SyntaxError ? undecodable(jsonSyntaxError(patch)) : error
  }
}

function patched(value: unknown, operations: readonly unknown[]): object {
  try {
    const made = applyJsonPatch(value, operations)
    if (typeof made === "object" && made !== null && !Array.isArray(made)) return made
  } catch (error) {
    throw error instanceof PatchError ? internalError(patchFailure(value, operations) ?? error.message) : error
  }
  throw internalError("the patch of a webhook made no object")
}

interface Decoded {
  readonly draft: Draft<KubeObject>
  readonly given: readonly ManagedFieldsEntry[] | undefined
  /** Paths of fields that the schema of a built-in kind does not know. */
  readonly unknown: readonly string[]
}

/** The server's own copy of what came of the patch; fields that the schema does not know are left out. */
function decoded(resource: Resource, { kind }: AdmissionAttributes, value: object): Decoded {
  const findings = { unknownFields: [], literals: undefined }
  try {
    const own = kind === undefined ? resource.schema : schemaOf(kind)
    const made =
      kind === undefined && resource.decoder !== undefined
        ? resource.decoder.decode(value, findings, false)
        : (coerceToSchema(value, own ?? { type: "any" }, findings) as Record<string, unknown>)
    const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = made as unknown as Draft<KubeObject>
    const { managedFields: given, ...others } = metadata ?? {}
    const of = kind ?? resource.descriptor
    // The options of a connection have no metadata.
    const about = metadata === undefined && kind !== undefined ? {} : { metadata: others }
    return {
      draft: { kind: of.kind, apiVersion: apiVersionOf(of), ...about, ...rest } as Draft<KubeObject>,
      given,
      unknown: resource.decoder === undefined ? findings.unknownFields : [],
    }
  } catch (error) {
    throw internalError(messageOf(error))
  }
}

/** Everything that holds the object sees what has become of it. */
function replace(object: Draft<KubeObject>, next: Draft<KubeObject>): void {
  for (const key of Object.keys(object)) delete (object as unknown as Record<string, unknown>)[key]
  Object.assign(object, next)
}

/** Entries that cannot be read are put back as they were: a webhook that knows an old form of them must not destroy the ownership of fields. */
function takeManagers(attributes: AdmissionAttributes, given: readonly ManagedFieldsEntry[] = []): void {
  try {
    attributes.managedFields = encodeEntries(decodeEntries(given))
  } catch (error) {
    attributes.request.warnings.add(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${messageOf(error)}`,
    )
  }
}
