import { alreadyExists, deepFreeze, generateNameConflict, invalid, type KubeObject } from "@pilothouse/api"
import { type AdmissionAttributes, admit, quotaReservations, validateAdmission } from "../admission/plugin.ts"
import { authorize } from "../authorization/authorize.ts"
import { type Draft, draftOf } from "../body/draft.ts"
import { type ManagedFields, setManagedFields } from "../managedfields/object-managed-fields.ts"
import { objectKey } from "../registry/object-key.ts"
import { applyDefaults, prepareForCreate, validateNew, warn } from "../resources/generic.ts"
import { decodeStored, encodeObject } from "../resources/stored-form.ts"
import type { Call } from "../server/call.ts"
import type { Write } from "../storage/storage.ts"
import { admissionAttributes } from "./admission-attributes.ts"
import { commitObject } from "./commit-with-quota.ts"
import { takeManagedFields, trackedFields } from "./field-ownership.ts"
import { fillSystemFields, generateName, matchNamespace, refuseResourceVersion, uniqueOwners, wipeSystemFields } from "./metadata.ts"
import { stamped } from "./stamped.ts"
import { writesAfterCreate } from "./states-after-create.ts"
import { reserve, strategyContext } from "./strategy-context.ts"

/** How many generated names are tried before the client is asked to. */
const nameAttempts = 8

/**
 * Puts a new object into the store (upstream's Store.Create and rest.BeforeCreate); the draft becomes its own. Returns what is stored, or would be.
 *
 * The order is upstream's: defaults, field ownership, mutating admission, identity, strategy, validation, validating admission. So defaults belong
 * to the client, what admission adds has no manager, and admission sees an object without uid and generated name. `applied` is the ownership of an
 * object that server-side apply creates.
 */
export async function createObject(call: Call, draft: Draft<KubeObject>, applied?: readonly ManagedFields[]): Promise<KubeObject> {
  const created = await createUnlessExists(call, draft, applied)
  if (created !== undefined) return created
  const { resource, namespace, server } = call
  const { name = "" } = draft.metadata
  const existing = server.storage.get(objectKey(resource, namespace, name))
  throw alreadyExists(resource.descriptor, name, { terminating: existing?.value.metadata.deletionTimestamp !== undefined })
}

/** Does the same, and returns undefined where there is such an object by then: another writer may have created it while admission decided. */
export async function createUnlessExists(
  call: Call,
  draft: Draft<KubeObject>,
  applied?: readonly ManagedFields[],
): Promise<KubeObject | undefined> {
  const { pause } = call.stages
  const decoded = pause()
  if (decoded !== undefined) await decoded
  call.resource.strategy.admitCreate?.(draft.metadata.name ?? "")
  matchNamespace(call, draft)
  applyDefaults(call.resource, draft)
  wipeSystemFields(draft)
  uniqueOwners(draft, "before admission", call.warnings)
  const given = takeManagedFields(draft)
  const defaulted = pause()
  if (defaulted !== undefined) await defaulted
  const owned = applied ?? trackedFields(call, undefined, draft, given)
  const attributes = attributesOf(call, draft, owned instanceof Promise ? await owned : owned)
  const mutated = admit(call.server.admission, attributes)
  if (mutated !== undefined) await mutated
  const { managedFields = [] } = attributes
  // A webhook may have changed it, and the object stands under that of the request.
  matchNamespace(call, draft)
  uniqueOwners(draft, "after admission", call.warnings)
  if (draft.metadata.name !== undefined || draft.metadata.generateName === undefined) return storeNamed(call, draft, managedFields)
  return storeGenerated(call, draft, managedFields)
}

async function storeNamed(call: Call, draft: Draft<KubeObject>, managedFields: readonly ManagedFields[]): Promise<KubeObject | undefined> {
  const stored = await storeOrTaken(call, draft, managedFields)
  return typeof stored === "string" ? undefined : stored
}

async function storeGenerated(call: Call, draft: Draft<KubeObject>, managedFields: readonly ManagedFields[]): Promise<KubeObject> {
  for (let tries = 1; ; tries++) {
    const stored = await storeOrTaken(call, draftOf(draft), managedFields)
    if (typeof stored !== "string") return stored
    if (tries === nameAttempts) throw generateNameConflict(call.resource.descriptor, stored, 1)
  }
}

/** Returns the name when there is such an object. */
async function storeOrTaken(call: Call, draft: Draft<KubeObject>, managedFields: readonly ManagedFields[]): Promise<KubeObject | string> {
  fillSystemFields(call, draft)
  generateName(call, draft)
  prepareForCreate(call.resource, draft, strategyContext(call))
  const prepared = call.stages.pause()
  if (prepared !== undefined) await prepared
  using _reserved = reserve(call, draft)
  const errors = validateNew(call.resource, draft as KubeObject)
  if (errors.length > 0) throw invalid(call.resource.strategy.refusedAs ?? call.resource.descriptor, draft.metadata.name ?? "", errors)
  warn(call.resource, call.warnings, draft as KubeObject)
  const attributes = attributesOf(call, draft, managedFields)
  if (call.verb !== "create") await authorizeCreate(call)
  const validated = validateAdmission(call.server.admission, attributes)
  if (validated !== undefined) await validated
  const checked = call.stages.pause()
  if (checked !== undefined) await checked
  // Upstream's storage refuses it, which a dry run does not reach.
  if (!call.dryRun) refuseResourceVersion(draft)
  return await commitNew(call, attributes, draft as KubeObject, managedFields)
}

/** An update or apply that creates needs the right to create too. */
async function authorizeCreate({ server, identity, resource, namespace = "", name, subresource }: Call): Promise<void> {
  const { group, version, plural } = resource.descriptor
  await authorize(server.authorizer, identity, { verb: "create", group, version, resource: plural, subresource, namespace, name })
}

function attributesOf(call: Call, object: Draft<KubeObject>, managedFields: readonly ManagedFields[]): AdmissionAttributes {
  const { name = "" } = object.metadata
  return admissionAttributes(call, { operation: "CREATE", name, object, old: undefined, managedFields })
}

async function commitNew(
  call: Call,
  attributes: AdmissionAttributes,
  object: KubeObject,
  managedFields: readonly ManagedFields[],
): Promise<KubeObject | string> {
  const { name } = attributes
  const { resource, server } = call
  const key = objectKey(resource, call.namespace, name)
  if (server.storage.get(key) !== undefined) return name
  if (call.dryRun) {
    quotaReservations(server.admission, attributes)
    return deepFreeze(setManagedFields(object, managedFields))
  }
  const encoding = encodeObject(resource, object, managedFields)
  const encoded = encoding instanceof Promise ? await encoding : encoding
  const { companionWrites } = resource.strategy
  const writeWith = (entries: readonly ManagedFields[]): Write => ({
    key,
    expected: 0,
    mayBeLarge: call.mayBeLarge,
    make: (revision) => stamped(encoded, revision, entries),
  })
  const states = writesAfterCreate(call, attributes, managedFields)
  using following = states && (await states)
  const others = companionWrites && attributes.subresource === "" ? () => companionWrites(object, undefined, server.addresses) : undefined
  // An object that is too large with its managedFields is stored alone: the server follows later.
  const companions = following ? (entries: readonly ManagedFields[]) => (entries === managedFields ? following.writes : []) : others
  const result = await commitObject(call, attributes, managedFields, writeWith, companions)
  return result.ok ? decodeStored(resource, result.stored[0]!.value) : name
}
