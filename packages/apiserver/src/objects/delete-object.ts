import {
  addInt64,
  conflict,
  deepEqual,
  deepFreeze,
  formatTime,
  type Int64,
  type KubeObject,
  notFound,
  parseTime,
  secondsInMilliseconds,
} from "@pilothouse/api"
import { admit, validateAdmission } from "../admission/plugin.ts"
import { type Draft, draftOf } from "../body/draft.ts"
import { managedFieldsOf } from "../managedfields/object-managed-fields.ts"
import { objectKey } from "../registry/object-key.ts"
import type { DeleteOptions, Propagation } from "../request/delete-options.ts"
import type { Resource } from "../resources/resource.ts"
import { decodeStored, encodeObject } from "../resources/stored-form.ts"
import type { Call } from "../server/call.ts"
import type { Stored } from "../storage/storage.ts"
import { admissionAttributes } from "./admission-attributes.ts"
import { stamped } from "./stamped.ts"

export interface Deletion {
  readonly object: KubeObject
  /** False when the object is only marked, and waits for its grace period or its finalizers. */
  readonly gone: boolean
}

/**
 * Deletes an object, or marks it as deleting until its grace period is over and its finalizers are removed. Admission sees the name of the request, which
 * a deletion of a collection does not have.
 */
export async function deleteObject(call: Call, options: DeleteOptions, requested: string = call.name): Promise<Deletion> {
  const { server, resource, namespace, name } = call
  const key = objectKey(resource, namespace, name)
  for (;;) {
    const stored = server.storage.get(key)
    if (stored === undefined) throw notFound(resource.descriptor, name)
    const old = await decodeStored(resource, stored.value)
    const about = { operation: "DELETE", name: requested, object: undefined, old, deleteOptions: options } as const
    const attributes = admissionAttributes(call, about)
    await admit(server.admission, attributes)
    checkPreconditions(call, options, old)
    await validateAdmission(server.admission, attributes)
    const deletion = await attempt(call, options, old, stored)
    if (deletion !== undefined) return deletion
  }
}

/** Returns the call as a dry run where the options of a delete say so. */
export function withDryRun(call: Call, options: DeleteOptions): Call {
  return options.dryRun?.includes("All") ? { ...call, dryRun: true } : call
}

/** Throws a conflict where the object is not the one that was meant. */
export function checkPreconditions({ resource, name }: Call, { preconditions = {} }: DeleteOptions, { metadata }: KubeObject): void {
  const { uid, resourceVersion } = preconditions
  // Upstream names the kind here, not the resource.
  const { group, kind } = resource.descriptor
  const what = { group, plural: kind }
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      what,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    )
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      what,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    )
  }
}

/** Undefined when another writer was faster. */
async function attempt(call: Call, options: DeleteOptions, old: KubeObject, stored: Stored): Promise<Deletion | undefined> {
  const marked = markedForDeletion(call, options, old)
  const gone = (marked.metadata.deletionGracePeriodSeconds ?? 0) === 0 && isFree(call, marked)
  // What is deleted gracefully is seen marked before it goes; everything else goes as it was.
  if (gone) return remove(call, call.resource.strategy.gracePeriod ? marked : old, stored)
  if (deepEqual(marked, old)) return { object: old, gone }
  if (call.dryRun) return { object: deepFreeze(marked), gone }
  const encoded = await encodeObject(call.resource, marked, managedFieldsOf(old))
  const make = (revision: number) => stamped(encoded, revision, managedFieldsOf(old))
  const result = await call.server.storage.commit([{ key: stored.key, expected: stored.revision, make }])
  return result.ok ? { object: await decodeStored(call.resource, result.stored[0]!.value), gone } : undefined
}

async function remove(call: Call, old: KubeObject, stored: Stored): Promise<Deletion | undefined> {
  if (call.dryRun) return { object: old, gone: true }
  // What a webhook converts is shown to watchers as it was stored.
  const last = call.resource.conversion === undefined ? call.resource.stored.encode(old) : stored.value
  const make = (revision: number) => stamped(last, revision, managedFieldsOf(stored.value))
  const companions = call.resource.strategy.companionWrites?.(undefined, old, call.server.addresses) ?? []
  const result = await call.server.storage.commit([{ key: stored.key, expected: stored.revision, deletes: true, make }, ...companions])
  return result.ok ? { object: await decodeStored(call.resource, result.stored[0]!.value), gone: true } : undefined
}

function isFree({ resource }: Call, object: KubeObject): boolean {
  return (object.metadata.finalizers ?? []).length === 0 && (resource.strategy.canFinalize?.(object) ?? true)
}

/** The object as it stands while it waits: with the finalizers that propagation asks for, the time of its end and its grace period. */
function markedForDeletion(call: Call, options: DeleteOptions, old: KubeObject): KubeObject {
  const draft = draftOf(old)
  setFinalizers(draft, propagatedFinalizers(call.resource, old, options))
  const period = gracePeriod(call, options, old)
  if (old.metadata.deletionTimestamp === undefined) mark(call, draft, period)
  else shorten(call, draft, options)
  return draft as KubeObject
}

function setFinalizers({ metadata }: Draft<KubeObject>, finalizers: readonly string[]): void {
  if (finalizers.length === 0) delete metadata.finalizers
  else metadata.finalizers = [...finalizers]
}

function gracePeriod({ resource }: Call, options: DeleteOptions, old: KubeObject): Int64 {
  const period = resource.strategy.gracePeriod?.(old, options) ?? 0
  return period < 0 ? 1 : period
}

function mark({ server, resource }: Call, draft: Draft<KubeObject>, period: Int64): void {
  const { metadata } = draft
  metadata.deletionTimestamp = formatTime(server.clock.now() + secondsInMilliseconds(period))
  if (resource.strategy.marksTimeOnly !== true) {
    metadata.deletionGracePeriodSeconds = period
    if ((metadata.generation ?? 0) > 0) metadata.generation = addInt64(metadata.generation ?? 0, 1)
  }
  resource.strategy.markDeleting?.(draft)
}

/** A second delete can bring the end nearer, never put it off. */
function shorten({ server, resource }: Call, { metadata }: Draft<KubeObject>, options: DeleteOptions): void {
  const before = metadata.deletionGracePeriodSeconds ?? 0
  const asked = options.gracePeriodSeconds
  if (resource.strategy.gracePeriod === undefined || before === 0) return void (metadata.deletionGracePeriodSeconds = 0)
  if (asked === undefined || asked >= before) return
  const now = server.clock.now()
  const start = parseTime(metadata.deletionTimestamp ?? "") - secondsInMilliseconds(before)
  const end = start + secondsInMilliseconds(asked < 0 ? 1 : asked)
  metadata.deletionTimestamp = formatTime(Math.max(end, now))
  // What is already over still ends gracefully, unless no grace was requested: another client makes the last delete.
  metadata.deletionGracePeriodSeconds = asked === 0 ? 0 : end < now || asked < 0 ? 1 : asked
}

const orphan = "orphan"
const foreground = "foregroundDeletion"

/** The finalizers of an object whose dependents the garbage collector is to treat as the options say. */
function propagatedFinalizers(resource: Resource, object: KubeObject, options: DeleteOptions): readonly string[] {
  const finalizers = object.metadata.finalizers ?? []
  const policy = propagationOf(resource, finalizers, options)
  const wanted = policy === "Orphan" ? orphan : policy === "Foreground" ? foreground : undefined
  const present = finalizers.filter((finalizer) => finalizer === orphan || finalizer === foreground)
  // As they stand where nothing changes: a delete said twice is no new write.
  if (present.length === (wanted === undefined ? 0 : 1) && present[0] === wanted) return finalizers
  const others = finalizers.filter((finalizer) => finalizer !== orphan && finalizer !== foreground)
  return wanted === undefined ? others : [...others, wanted]
}

/** What the request says, else what an earlier one left on the object, else what the kind does by itself. */
function propagationOf(resource: Resource, finalizers: readonly string[], options: DeleteOptions): Propagation {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? "Orphan" : "Background"
  if (options.propagationPolicy !== undefined) return options.propagationPolicy
  const first = finalizers.find((finalizer) => finalizer === orphan || finalizer === foreground)
  if (first !== undefined) return first === orphan ? "Orphan" : "Foreground"
  return resource.strategy.defaultPropagation ?? "Background"
}
