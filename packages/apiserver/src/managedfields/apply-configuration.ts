import { applyConflict, badRequest, formatTime, type KubeObject, StatusError } from "@pilothouse/api"
import { type FieldManagerEndpoint, type FieldWriter, mismatches, ownable, ownedByCreate } from "./endpoint.ts"
import { entryOf } from "./entries.ts"
import { type FieldSet, isEmptySet, pathText, setOfPaths } from "./fieldpath/index.ts"
import { allowedByLastApplied, conflictsOutside, rewriteLastApplied } from "./last-applied.ts"
import { encodeEntries, type Managed, managedOf, managerIdentity, managerKey, noManagers } from "./managers.ts"
import { applyConfig, type Conflict, ConflictError, type Managers, type Steps } from "./merge/index.ts"
import { type ManagedFields, managedFieldsOf } from "./object-managed-fields.ts"
import { sharedSet } from "./shared-set.ts"
import { TypedError, typedErrors, typedFailure } from "./typed/index.ts"

export interface Application extends FieldWriter {
  readonly live: KubeObject | undefined
  /** The body as it was sent. */
  readonly config: Readonly<Record<string, unknown>>
  readonly force: boolean
}

export interface Applied {
  /** The merged object; undefined when it is the live one. */
  readonly object: Readonly<Record<string, unknown>> | undefined
  readonly managedFields: readonly ManagedFields[]
}

/** Throws upstream's Status for a body that does not fit its kind and schema. */
export function checkConfiguration(endpoint: FieldManagerEndpoint, config: Application["config"]): void {
  refuseOtherKind(endpoint, config)
  if (Array.isArray((config.metadata as KubeObject["metadata"] | undefined | null)?.managedFields)) {
    throw badRequest("metadata.managedFields must be nil")
  }
  refuseUntyped(endpoint, config)
}

/** Merges an applied configuration, which has been checked, into the live object. Throws upstream's Status on conflicts. */
export function* applyConfiguration(endpoint: FieldManagerEndpoint, application: Application): Steps<Applied> {
  const { live, config } = application
  try {
    const { object, managed } = yield* applyAsKubectl(endpoint, application)
    const annotated = application.manager === "kubectl" ? rewriteLastApplied(object ?? live, config) : undefined
    return { object: annotated ?? object, managedFields: encodeEntries(managed) }
  } catch (error) {
    if (error instanceof ConflictError) throw applyConflictStatus(error.conflicts)
    // The live object may have items without keys; they cannot be merged.
    if (error instanceof TypedError) throw internalFailure(error.message)
    throw error
  }
}

interface AppliedManaged {
  readonly object: Readonly<Record<string, unknown>> | undefined
  readonly managed: Managed
}

/** kubectl may take over what its own client-side apply has written: the annotation shows what that was. */
function* applyAsKubectl(endpoint: FieldManagerEndpoint, application: Application): Steps<AppliedManaged> {
  try {
    return yield* apply(endpoint, application)
  } catch (error) {
    if (!(error instanceof ConflictError) || application.manager !== "kubectl" || application.live === undefined) throw error
    const allowed = allowedByLastApplied(application.live, endpoint.schema, endpoint.apiVersion)
    if (allowed === undefined) throw error
    const left = conflictsOutside(error.conflicts, allowed)
    if (left.length > 0) throw new ConflictError(pathsByManager(left))
    return yield* apply(endpoint, { ...application, force: true })
  }
}

function pathsByManager(conflicts: readonly Conflict[]): ReadonlyMap<string, FieldSet> {
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager)
  return new Map([...byManager].map(([manager, ofManager]) => [manager, setOfPaths(ofManager.map(({ path }) => path))]))
}

function* apply(endpoint: FieldManagerEndpoint, { live, config, manager, now, force }: Application): Steps<AppliedManaged> {
  const { apiVersion, subresource, merge } = endpoint
  const errors = live === undefined ? [] : mismatches(endpoint, live)
  if (errors.length > 0) throw internalFailure(`failed to create typed live object (${nameText(endpoint, live)}): ${typedFailure(errors)}`)
  const before = managersBeforeApply(endpoint, live, now)
  const key = managerKey({ manager, operation: "Apply", subresource })
  const { object, managers } = yield* applyConfig(merge, {
    live: live === undefined ? {} : endpoint.goForm(live),
    config,
    apiVersion,
    managers: before.managers,
    manager: key,
    force,
  })
  const left = stripped(managers, key, before.managers)
  // An application that changes nothing takes ownership without a time.
  const times = object === undefined ? before.times : new Map(before.times).set(key, formatTime(now))
  return { object: object as AppliedManaged["object"], managed: { managers: left, times } }
}

/** Without what is never owned. The manager itself as it was before, where it applies the same fields again. */
function stripped(managers: Managers, key: string, before: Managers): Managers {
  const mine = managers.get(key)
  if (mine === undefined) return managers
  const last = before.get(key)
  const set = sharedSet(ownable(mine.set))
  const left = new Map(managers)
  if (isEmptySet(set)) left.delete(key)
  else left.set(key, last?.set === set && last.applied && last.apiVersion === mine.apiVersion ? last : { ...mine, set })
  return left
}

/** What an untracked object already has belongs to a manager of its own when it is first applied. */
function managersBeforeApply(endpoint: FieldManagerEndpoint, live: KubeObject | undefined, now: number): Managed {
  if (live === undefined) return noManagers
  const managed = managedOf(managedFieldsOf(live))
  if (managed.managers.size > 0) return managed
  const set = ownedByCreate(endpoint, live)
  if (isEmptySet(set)) return noManagers
  const { apiVersion, subresource } = endpoint
  return managedOf([entryOf({ manager: "before-first-apply", operation: "Update", apiVersion, subresource }, formatTime(now), set)])
}

function refuseOtherKind({ kind, apiVersion }: FieldManagerEndpoint, config: Application["config"]): void {
  const given = { apiVersion: textOf(config.apiVersion), kind: textOf(config.kind) }
  if (given.apiVersion === apiVersion && given.kind === kind.kind) return
  const [version = "", group = "", ...more] = given.apiVersion.split("/").reverse()
  if (more.length > 0) throw badRequest("invalid object type: /, Kind=")
  throw badRequest(`invalid object type: ${group}/${version}, Kind=${given.kind}`)
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** Upstream answers this with a 500 without a reason, and clients have come to know it. */
function refuseUntyped(endpoint: FieldManagerEndpoint, config: Application["config"]): void {
  const errors = typedErrors(config, endpoint.schema, { allowDuplicates: false })
  if (errors.length === 0) return
  throw internalFailure(`failed to create typed patch object (${nameText(endpoint, config)}): ${typedFailure(errors)}`)
}

/** "default/a; apps/v1, Kind=Deployment", as messages name an object. */
function nameText({ kind }: FieldManagerEndpoint, object: object | undefined): string {
  const { namespace, name } = (object as Partial<KubeObject> | undefined)?.metadata ?? {}
  return `${textOf(namespace)}/${textOf(name)}; ${kind.group}/${kind.version}, Kind=${kind.kind}`
}

function internalFailure(message: string): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 })
}

/** Returns upstream's 409: one cause for each path, and a message that groups the paths by manager. */
function applyConflictStatus(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${managerText(manager)}`,
    field: pathText(path),
  }))
  return applyConflict(causes, conflictMessage(conflicts))
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [first] = conflicts
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${managerText(first.manager)}: ${pathText(first.path)}`
  }
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager)
  const lines = [...byManager.keys()]
    .sort()
    .flatMap((manager) => [
      `conflicts with ${managerText(manager)}:`,
      ...(byManager.get(manager) ?? []).map(({ path }) => `- ${pathText(path)}`),
    ])
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`
}

function managerText(key: string): string {
  const { manager = "", operation, apiVersion, subresource } = managerIdentity(key)
  const name =
    subresource === undefined ? JSON.stringify(manager) : `${JSON.stringify(manager)} with subresource ${JSON.stringify(subresource)}`
  return operation === "Update" ? `${name} using ${apiVersion}` : name
}
