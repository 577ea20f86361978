import { conflict, deepEqual, deepFreeze, fieldError, invalid, type KubeObject, notFound } from "@pilothouse/api"
import { type AdmissionAttributes, type AdmissionPlugin, admit, quotaReservations, validateAdmission } from "../admission/plugin.ts"
import { type Draft, draftOf } from "../body/draft.ts"
import { equalButTimes } from "../managedfields/entry-order.ts"
import { type ManagedFields, managedFieldsOf, setManagedFields } from "../managedfields/object-managed-fields.ts"
import { objectKey } from "../registry/object-key.ts"
import { applyDefaults, type UpdateKind } from "../resources/generic.ts"
import type { Resource } from "../resources/resource.ts"
import { decodeStored, encodeObject } from "../resources/stored-form.ts"
import type { Call } from "../server/call.ts"
import type { Stored, Write } from "../storage/storage.ts"
import { admissionAttributes } from "./admission-attributes.ts"
import { commitObject } from "./commit-with-quota.ts"
import { createUnlessExists } from "./create-object.ts"
import { managedFieldsErrors, takeManagedFields, trackedFields } from "./field-ownership.ts"
import { keepSystemFields, matchName, matchNamespace, uniqueOwners } from "./metadata.ts"
import { stamped } from "./stamped.ts"
import { reserve, strategyContext } from "./strategy-context.ts"

/**
 * A change of one stored object, retried until it is committed on the version that it was made from: the tryUpdate of upstream's GuaranteedUpdate.
 */
export interface Update {
  /** What of the object a request may change, and how that is checked. */
  readonly kind: UpdateKind
  /** The new object, made from the one that is stored; it may be called again when another writer was faster. */
  next(current: KubeObject): NextObject | Promise<NextObject>
  /** The new object where there is none; without it that is a 404. Called again where one was created and deleted meanwhile. */
  fresh?(): NextObject | Promise<NextObject>
  /** What admission decides on, where that is not the object itself. */
  readonly admitted?: AdmittedForm
  /** Whether losing against another writer means to try again: the change was made from what is stored, as a patch is. */
  readonly again: boolean
}

/** The form in which a subresource shows an object: a Scale. Admission sees what the client has written. */
export interface AdmittedForm {
  readonly kind: NonNullable<AdmissionAttributes["kind"]>
  of(object: KubeObject): KubeObject
  /** Takes over what mutating admission has changed. */
  write(object: Draft<KubeObject>, form: Draft<KubeObject>): void
}

/** What a request makes of what is stored, or in its place. */
export interface NextObject {
  readonly draft: Draft<KubeObject>
  /** What it was made of, before it was decoded: for messages. */
  readonly given?: unknown
  /** Left out: the request's manager owns what the request changes. */
  readonly managedFields?: readonly ManagedFields[]
  /** What mutating admission sees of another form: the stored object in it with its managedFields, and the managers of the new one. */
  readonly ofForm?: Pick<AdmissionAttributes, "old" | "managedFields">
}

export interface Updated {
  readonly object: KubeObject
  readonly created: boolean
}

/**
 * Changes a stored object, and starts again when another write came between: the GuaranteedUpdate of upstream's storage. Returns what is stored now;
 * the same object when nothing changed.
 */
export async function updateObject(call: Call, update: Update): Promise<Updated> {
  const { server, resource, namespace, name } = call
  const key = objectKey(resource, namespace, name)
  for (;;) {
    const stored = server.storage.get(key)
    if (stored === undefined) {
      if (update.fresh === undefined) throw notFound(resource.descriptor, name)
      const { draft, managedFields } = await update.fresh()
      const object = await createUnlessExists(call, draft, managedFields)
      if (object !== undefined) return { object, created: true }
      continue
    }
    const decoding = decodeStored(resource, stored.value)
    const object = await attempt(call, update, stored, decoding instanceof Promise ? await decoding : decoding)
    if (object !== undefined) return { object, created: false }
    if (!update.again) throw conflict(resource.descriptor, name)
  }
}

/** Undefined when another writer was faster. */
async function attempt(call: Call, update: Update, stored: Stored, old: KubeObject): Promise<KubeObject | undefined> {
  const { resource, name } = call
  const { begin, pause } = call.stages
  begin()
  const making = update.next(old)
  const next = making instanceof Promise ? await making : making
  const { draft } = next
  const decoded = pause()
  if (decoded !== undefined) await decoded
  matchNamespace(call, draft)
  matchName(call, draft)
  applyDefaults(resource, draft)
  // A patch is looked at once only, as upstream does.
  if (call.verb === "update") uniqueOwners(draft, "before admission", call.warnings)
  const given = takeManagedFields(draft)
  const defaulted = pause()
  if (defaulted !== undefined) await defaulted
  const owned = next.managedFields ?? trackedFields(call, old, draft, given)
  const tracked = owned instanceof Promise ? await owned : owned
  keepSystemFields(draft, old)
  const attributes = admissionAttributes(call, { operation: "UPDATE", object: draft, old, managedFields: tracked })
  const mutated = admitUpdate(call, attributes, update.admitted, next.ofForm)
  if (mutated !== undefined) await mutated
  // A webhook may have changed it, and the object stands under that of the request.
  matchNamespace(call, draft)
  uniqueOwners(draft, "after admission", call.warnings)
  checkVersion(call, draft, old)
  update.kind.prepare(resource, draft, old, strategyContext(call))
  const prepared = pause()
  if (prepared !== undefined) await prepared
  using _reserved = reserve(call, draft, old)
  const about = { now: call.server.clock.now(), given: next.given }
  const errors = [...managedFieldsErrors(given), ...update.kind.validate(resource, draft as KubeObject, old, about)]
  for (const text of resource.strategy.validationWarnings?.(draft as KubeObject) ?? []) call.warnings.add(text)
  if (errors.length > 0) throw invalid(resource.strategy.refusedAs ?? resource.descriptor, name, errors)
  update.kind.warn?.(resource, call.warnings, draft as KubeObject, old)
  return await commitChecked(call, attributes, update.admitted, old, stored)
}

function admitUpdate(
  { server }: Call,
  attributes: AdmissionAttributes,
  form: AdmittedForm | undefined,
  owned: NextObject["ofForm"],
): void | Promise<void> {
  return form === undefined ? admit(server.admission, attributes) : admitForm(server.admission, attributes, form, owned)
}

function formAttributes(attributes: AdmissionAttributes, { kind, of }: AdmittedForm): AdmissionAttributes {
  const { object, old } = attributes
  return { ...attributes, kind, object: draftOf(of(object as KubeObject)), old: of(old!), managedFields: undefined }
}

/** What mutating admission makes of the form is written back to the object. */
async function admitForm(
  plugins: readonly AdmissionPlugin[],
  attributes: AdmissionAttributes,
  form: AdmittedForm,
  owned: NextObject["ofForm"],
): Promise<void> {
  const shown = { ...formAttributes(attributes, form), ...owned }
  await admit(plugins, shown)
  form.write(attributes.object!, shown.object!)
}

/** The last stages: validating admission, and the write. */
async function commitChecked(
  call: Call,
  attributes: AdmissionAttributes,
  form: AdmittedForm | undefined,
  old: KubeObject,
  stored: Stored,
): Promise<KubeObject | undefined> {
  const shown = form === undefined ? attributes : formAttributes(attributes, form)
  const validated = validateAdmission(call.server.admission, shown)
  if (validated !== undefined) await validated
  const checked = call.stages.pause()
  if (checked !== undefined) await checked
  return await commitChange(call, attributes, attributes.managedFields ?? [], old, stored)
}

/** Leaves the draft with the stored version: equal objects then are equal in everything. */
function checkVersion(call: Call, { metadata }: Draft<KubeObject>, old: KubeObject): void {
  const { resource, name } = call
  const version = metadata.resourceVersion ?? "0"
  if (version === "0" && !resource.unconditionalUpdate) {
    const text = "must be specified for an update"
    throw invalid({ group: resource.descriptor.group, kind: resource.descriptor.plural }, name, [
      fieldError.invalid("metadata.resourceVersion", 0, text),
    ])
  }
  // A patch that changes the uid is refused later, because it is immutable.
  if (call.verb === "update" && metadata.uid !== undefined && metadata.uid !== old.metadata.uid) {
    throw conflict(resource.descriptor, name, uidFault(call, metadata.uid, old))
  }
  if (version !== "0" && version !== old.metadata.resourceVersion) throw conflict(resource.descriptor, name)
  metadata.resourceVersion = old.metadata.resourceVersion
}

/** As upstream's storage says it, key and all; that of dry runs knows no prefix. */
function uidFault({ resource, namespace, name, dryRun }: Call, uid: string, old: KubeObject): string {
  const key = [dryRun ? "" : "/registry", resource.descriptor.plural, ...(namespace === undefined ? [] : [namespace]), name].join("/")
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
}

async function commitChange(
  call: Call,
  attributes: AdmissionAttributes,
  managedFields: readonly ManagedFields[],
  old: KubeObject,
  stored: Stored,
): Promise<KubeObject | undefined> {
  const { server, resource, dryRun } = call
  const object = attributes.object as KubeObject
  const goes = finalizesObject(call, object, old)
  const isOutdated = resource.stored.version !== undefined && stored.value.apiVersion !== resource.stored.version
  const changes = goes || isOutdated || !isStored(object, managedFields, old) || isStoredOtherwise(resource, object, stored)
  if (dryRun) {
    quotaReservations(server.admission, attributes)
    return changes ? deepFreeze(setManagedFields(object, managedFields)) : old
  }
  if (!changes) return old
  const encoding = encodeObject(resource, object, managedFields)
  const encoded = encoding instanceof Promise ? await encoding : encoding
  const { companionWrites } = resource.strategy
  const writeWith = (entries: readonly ManagedFields[]): Write => ({
    key: stored.key,
    expected: stored.revision,
    deletes: goes,
    mayBeLarge: call.mayBeLarge,
    make: (revision) => stamped(encoded, revision, entries),
  })
  const companions = companionWrites && (() => companionWrites(goes ? undefined : object, old, server.addresses))
  const result = await commitObject(call, attributes, managedFields, writeWith, companions)
  if (!result.ok) return undefined
  // The answer to the update that lets an object go shows it as it was last stored.
  return goes ? deepFreeze(setManagedFields(object, managedFields)) : decodeStored(resource, result.stored[0]!.value)
}

/** Whether there is nothing to write. Times of managers alone are no change; a manager that takes over a field without changing it is one. */
function isStored(object: KubeObject, managedFields: readonly ManagedFields[], old: KubeObject): boolean {
  return deepEqual(object, old) && equalButTimes(managedFields, managedFieldsOf(old))
}

/**
 * Whether an object that reads the same in its version is stored as another one: the conversion of autoscalers puts the metrics into an order of its
 * own.
 */
function isStoredOtherwise({ strategy, family, stored: form }: Resource, object: KubeObject, stored: Stored): boolean {
  return strategy.storedAs !== undefined && family === undefined && !deepEqual(form.encode(object), stored.value)
}

/** Whether the object was only kept by finalizers that this update takes away. */
function finalizesObject({ resource }: Call, object: KubeObject, old: KubeObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0 || old.metadata.deletionTimestamp === undefined) return false
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false
  return resource.strategy.canFinalize?.(object) ?? true
}
