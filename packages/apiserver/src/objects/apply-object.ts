import { badRequest, conflict, type KubeObject, unsupportedMediaType } from "@pilothouse/api"
import { goJsonWord, patchContentTypes } from "@pilothouse/api/patch"
import { queryValue } from "@pilothouse/seams"
import { SchemaMismatch } from "../body/coerced-place.ts"
import { type Draft, draftOf } from "../body/draft.ts"
import { type Applied, applyConfiguration, checkConfiguration } from "../managedfields/apply-configuration.ts"
import type { FieldManagerEndpoint } from "../managedfields/endpoint.ts"
import { flag } from "../request/list-options.ts"
import { inTurns } from "../request/turns.ts"
import { isWhole, mainUpdate, type UpdateKind } from "../resources/generic.ts"
import type { Call } from "../server/call.ts"
import { decodeValue, expectedKind } from "./decode-object.ts"
import { fieldManagerEndpoint } from "./field-manager-endpoint.ts"
import { type NextObject, type Updated, updateObject } from "./update-object.ts"

export type AppliedBody = Readonly<Record<string, unknown>>

/** Server-side apply: merges the configuration of one manager into the object, or creates it. */
export async function applyObject(call: Call, kind: UpdateKind): Promise<Updated> {
  const endpoint = fieldManagerEndpoint(call)
  if (endpoint === undefined)
    throw unsupportedMediaType(Object.values(patchContentTypes).filter((type) => type !== patchContentTypes.apply))
  const config = applyBody(call)
  const { pause } = call.stages
  const merge = (current: KubeObject) => {
    const applied = inTurns(applyRequest(call, endpoint, config, current), pause)
    return applied instanceof Promise ? applied.then((made) => decodeMerged(current, made)) : decodeMerged(current, applied)
  }
  const decodeMerged = (current: KubeObject, { object, managedFields }: Applied): NextObject | Promise<NextObject> => {
    const draft = () => (object === undefined ? (draftOf(current) as Draft<KubeObject>) : decodeApplied(call, object))
    const decode = () => ({ draft: draft(), managedFields })
    return pause()?.then(decode) ?? decode()
  }
  const next = (current: KubeObject) => {
    checkConfiguration(endpoint, config)
    return pause()?.then(() => merge(current)) ?? merge(current)
  }
  const creates = kind === mainUpdate || (call.resource.createOnUpdate && isWhole(kind))
  const fresh = creates ? () => created(call, endpoint, config) : undefined
  return updateObject(call, { kind, next, fresh, again: true })
}

/** Returns the body, which has to be an object. Kinds that take any JSON have the nearest double for an integer beyond 64 bits; others refuse it. */
export function applyBody({ body, resource }: Call): AppliedBody {
  if (body === null || body === undefined) return {}
  if (typeof body === "object" && !Array.isArray(body)) return (resource.decoder === undefined ? body : anyJson(body)) as AppliedBody
  const why = `json: cannot unmarshal ${goJsonWord(body)} into Go value of type map[string]interface {}`
  throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`)
}

function anyJson(body: object): object {
  try {
    return draftOf(body)
  } catch (error) {
    if (error instanceof SchemaMismatch) throw badRequest(`error decoding YAML: ${error.message}`)
    throw error
  }
}

/** Merges the body of a request into the live object; a repeated key of the body is reported after conflicts, as upstream does. */
export function* applyRequest(
  call: Call,
  endpoint: FieldManagerEndpoint,
  config: AppliedBody,
  live: KubeObject | undefined,
): ReturnType<typeof applyConfiguration> {
  const manager = queryValue(call.query, "fieldManager") ?? ""
  const force = flag(call.query, "force") === true
  const applied = yield* applyConfiguration(endpoint, { live, config, manager, force, now: call.server.clock.now() })
  reportRepeated(call)
  return applied
}

function reportRepeated(call: Call): void {
  const validation = queryValue(call.query, "fieldValidation") ?? "Warn"
  const { warnings, refusal } = call.findStrict?.([]) ?? { warnings: [], refusal: "" }
  if (warnings.length === 0 || validation === "Ignore") return
  if (validation === "Strict") throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${refusal}`)
  for (const text of warnings) call.warnings.add(text)
}

async function created(call: Call, endpoint: FieldManagerEndpoint, config: AppliedBody): Promise<NextObject> {
  checkConfiguration(endpoint, config)
  await call.stages.pause()
  const { object, managedFields } = await inTurns(applyRequest(call, endpoint, config, undefined), call.stages.pause)
  await call.stages.pause()
  const draft = decodeApplied(call, object ?? config)
  const { uid, resourceVersion, name = "" } = draft.metadata
  const { descriptor } = call.resource
  if (uid !== undefined) {
    throw conflict(descriptor, call.name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`)
  }
  if (name === "") throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`)
  if (name !== call.name) throw badRequest(`the name of the object (${name}) does not match the name on the URL (${call.name})`)
  // A version of nothing is compared with nothing: upstream creates the object.
  if (resourceVersion !== undefined && !/^\d+$/.test(resourceVersion)) throw conflict(descriptor, call.name)
  delete draft.metadata.resourceVersion
  return { draft, managedFields }
}

/** The schema has vouched for the fields: what is left to say of the body was said when it was merged. */
function decodeApplied(call: Call, object: AppliedBody): Draft<KubeObject> {
  return decodeValue({ ...call, findStrict: undefined }, object, { ...expectedKind(call), isApplied: true })
}
