import { alreadyExists, deepFreeze, generateNameConflict, invalid, type KubeObject } from "@pilothouse/api"
import { type AdmissionAttributes, admit, quotaReservations, validateAdmission } from "../admission/plugin.ts"
import { type Draft, draftOf } from "../body/draft.ts"
import type { Call } from "../request/call.ts"
import { applyDefaults, prepareForCreate, validateNew, warn } from "../resources/generic.ts"
import type { Stored, Write } from "../storage/storage.ts"
import { commitWithQuota } from "./commit-with-quota.ts"
import { objectKey } from "./key.ts"
import { fillSystemFields, generateName, matchNamespace, refuseResourceVersion, stamped, uniqueOwners } from "./metadata.ts"

/** How many generated names are tried before the client is asked to. */
const nameAttempts = 8

/** Puts a new object into the store; the draft becomes its own. Answers with what is stored, or would be. */
export async function createObject(call: Call, draft: Draft<KubeObject>): Promise<KubeObject> {
  if (call.nextTurn !== undefined) await call.nextTurn()
  refuseResourceVersion(draft)
  matchNamespace(call, draft)
  applyDefaults(call.resource, draft)
  const generated = draft.metadata.name === undefined && draft.metadata.generateName !== undefined
  if (!generated) return attempt(call, draft)
  for (let tries = 1; ; tries++) {
    const taken = await attemptOrTaken(call, draftOf(draft))
    if (typeof taken !== "string") return taken
    if (tries === nameAttempts) throw generateNameConflict(call.resource.descriptor, taken, 1)
  }
}

async function attempt(call: Call, draft: Draft<KubeObject>): Promise<KubeObject> {
  const made = await attemptOrTaken(call, draft)
  if (typeof made !== "string") return made
  const existing = existingObject(call, made)
  throw alreadyExists(call.resource.descriptor, made, { terminating: existing?.value.metadata.deletionTimestamp !== undefined })
}

/** The name, when there is such an object. */
async function attemptOrTaken(call: Call, draft: Draft<KubeObject>): Promise<KubeObject | string> {
  fillSystemFields(call, draft)
  generateName(call, draft)
  uniqueOwners(draft, (text) => call.warnings.add(text))
  const attributes: AdmissionAttributes = { ...createAttributes(call, draft), name: draft.metadata.name ?? "" }
  await admit(attributes)
  prepareForCreate(call, draft)
  if (call.nextTurn !== undefined) await call.nextTurn()
  using _reserved = call.resource.strategy.reserve?.(draft, undefined, call.server)
  const errors = validateNew(call.resource, draft as KubeObject)
  if (errors.length > 0) throw invalid(call.resource.strategy.refusedAs ?? call.resource.descriptor, draft.metadata.name ?? "", errors)
  warn(call, draft as KubeObject)
  await validateAdmission(attributes)
  if (call.nextTurn !== undefined) await call.nextTurn()
  return await commitNew(attributes, draft as KubeObject)
}

function createAttributes(call: Call, object: Draft<KubeObject>): Omit<AdmissionAttributes, "name"> {
  const { resource, subresource, namespace } = call
  return { call, operation: "CREATE", resource, subresource, namespace, object, old: undefined }
}

async function commitNew(attributes: AdmissionAttributes, object: KubeObject): Promise<KubeObject | string> {
  const { call } = attributes
  const name = object.metadata.name ?? ""
  const { resource, server } = call
  const write: Write = {
    key: objectKey(resource, call.namespace, name),
    expected: 0,
    mayBeLarge: call.mayBeLarge,
    make: (revision) => stamped(resource.stored.encode(object), revision),
  }
  if (server.storage.get(write.key) !== undefined) return name
  if (call.dryRun) {
    quotaReservations(attributes)
    return deepFreeze(object)
  }
  const result = await commitWithQuota(attributes, write)
  return result.ok ? resource.stored.decode(result.stored[0]!.value) : name
}

function existingObject({ server, resource, namespace }: Call, name: string): Stored | undefined {
  return server.storage.get(objectKey(resource, namespace, name))
}
