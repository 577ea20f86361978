import {
  apiVersionOf,
  type Descriptor,
  findCondition,
  formatTime,
  isConditionTrue,
  type KubeObject,
  parseTime,
  quoted,
  reasonOf,
  setCondition,
} from "@pilothouse/api"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import type { StorageVersionMigration } from "@pilothouse/api/storagemigration/v1beta1"
import { type DecideContext, type ObjectRef, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { isRetryable, messageOf } from "@pilothouse/seams"
import { isMigratable, type Observed, requiredVerbs, resourceText } from "./observe.ts"

/** Milliseconds in which a resource that was defined just now appears in discovery, and between two looks for it. */
const [discoveryPeriod, discoveryDelay] = [60_000, 5000]
/** Objects that are stored again at a time. */
const concurrency = 20

/** Takes a migration one step on. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  const { migration } = observed
  switch (observed.at) {
    case "finished":
      return plan().nothing("it has ended")
    case "waiting":
      return plan().waitFor(`the migration ${observed.before} of the same resource to end`)
    case "due":
      return begin(migration, observed.definition, now)
    case "running":
      return withVersion(observed, now)
    case "migrating":
      return migrate(observed, now)
    case "ending":
      return end(migration, observed.definition, now)
  }
}

function begin(migration: StorageVersionMigration, definition: CustomResourceDefinition | undefined, now: number): Plan {
  const built = plan()
  const message = `Migration ${migration.metadata.name} is running`
  if (definition !== undefined) {
    const condition = storageMigrating(definition, { status: "True", reason: "MigrationRunning", message }, now)
    applyStatus(built, definition, { conditions: [condition] }, "its objects are stored again").nextStep()
  }
  const running = { type: "Running", status: "True", reason: "MigrationRunning", message: "The migration is running" } as const
  return withCondition(built, migration, running, "no other migration of the resource runs", now)
}

function withVersion({ migration, resource, latest }: Observed & { at: "running" }, now: number): Plan {
  if (resource === undefined) return undiscovered(migration, "resource does not exist in discovery", now)
  if (!isMigratable(resource)) {
    const verbs = `does not support discovery operations: [${requiredVerbs.join(" ")}]`
    return fail(plan(), migration, `resource ${quoted(resourceText(resource))} ${verbs}`, now)
  }
  return plan().status(migration, { ...migration.status, resourceVersion: latest }, "objects up to this version are stored again")
}

/** Objects that others write or delete meanwhile are conflicts, and need no migration. */
function migrate({ migration, resource, objects }: Observed & { at: "migrating" }, now: number): Plan {
  if (resource === undefined) return undiscovered(migration, `${unhandled}: unable to obtain GVR from discovery`, now)
  const upTo = migration.status?.resourceVersion ?? ""
  const due = objects.filter(({ metadata }) => !isNewer(metadata.resourceVersion ?? "", upTo))
  const built = plan()
  for (const [index, object] of due.entries()) {
    if (index % concurrency === 0) built.nextStep()
    const [applied, reason] = [storedAgain(resource, object), "it may be stored in an older version"]
    built.operation({ do: "apply", of: resource, object: applied, reason, tolerate: ["Conflict"] })
  }
  const succeeded = { type: "Succeeded", status: "True", reason: "StorageVersionMigrationSucceeded", message: "" } as const
  return withCondition(built.nextStep(), migration, succeeded, `all ${due.length} objects are stored again`, now)
}

/** An error that may pass is left to the next try; any other one ends the migration. */
export function settle({ migration, at }: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const failures = results.flatMap((result) => (result.ok === false && result.operation.do === "apply" ? [result.error] : []))
  if (at !== "migrating" || failures.length === 0 || failures.some(mayPass)) return plan()
  return fail(plan(), migration, `${unhandled}: ${messageOf(failures[0])}`, now)
}

/** The migration no longer runs. Its definition keeps the storage version only, unless it has changed meanwhile. */
function end(migration: StorageVersionMigration, definition: CustomResourceDefinition | undefined, now: number): Plan {
  const built = plan()
  if (definition !== undefined)
    applyStatus(built, definition, outcomeStatus(migration, definition, now), "its migration has ended").nextStep()
  const ended = { type: "Running", status: "False", reason: "MigrationCompleted", message: "Migration completed" } as const
  const observedGeneration = migration.metadata.generation
  return withCondition(built, migration, { ...ended, ...(observedGeneration !== undefined && { observedGeneration }) }, "it has ended", now)
}

function outcomeStatus(migration: StorageVersionMigration, definition: CustomResourceDefinition, now: number): object {
  const { metadata, spec, status } = definition
  const isUnchanged = findCondition(status?.conditions, "StorageMigrating")?.observedGeneration === metadata.generation
  const versions = isUnchanged ? { storedVersions: spec.versions.filter(({ storage }) => storage).map(({ name }) => name) } : {}
  const updated = isUnchanged
    ? "and the stored versions have been updated"
    : "but the stored versions have not been updated due to a generation mismatch"
  const outcome = isConditionTrue(migration.status?.conditions, "Succeeded")
    ? { reason: "MigrationSucceeded", message: `The migration has succeeded ${updated}` }
    : { reason: "MigrationFailed", message: "The migration has failed" }
  return { conditions: [storageMigrating(definition, { status: "False", ...outcome }, now)], ...versions }
}

type Condition = NonNullable<NonNullable<StorageVersionMigration["status"]>["conditions"]>[number]

const unhandled = "migration encountered unhandled error"

function fail(built: PlanBuilder, migration: StorageVersionMigration, message: string, now: number): Plan {
  const failed = { type: "Failed", status: "True", reason: "StorageVersionMigrationFailed", message } as const
  return withCondition(built, migration, failed, "it cannot succeed", now)
}

/** A resource that was defined just now may be unknown to discovery. */
function undiscovered(migration: StorageVersionMigration, message: string, now: number): Plan {
  const isNew = parseTime(migration.metadata.creationTimestamp ?? "") + discoveryPeriod > now
  if (!isNew) return fail(plan(), migration, message, now)
  return plan().waitFor("the resource to be discovered").requeueAfter(discoveryDelay, "discovery may know the resource then")
}

function withCondition(
  built: PlanBuilder,
  migration: StorageVersionMigration,
  condition: Omit<Condition, "lastTransitionTime">,
  reason: string,
  now: number,
): Plan {
  const conditions = setCondition<Condition>(migration.status?.conditions, condition, now)
  return built.status(migration, { ...migration.status, conditions }, reason)
}

function storageMigrating(
  { metadata }: CustomResourceDefinition,
  condition: Pick<Condition, "status" | "reason" | "message">,
  now: number,
): object {
  const observedGeneration = metadata.generation
  return { type: "StorageMigrating", ...condition, lastTransitionTime: formatTime(now), observedGeneration }
}

/** The resourceVersion makes a definition that has changed since it was read a conflict: the generation would be that of another one. */
function applyStatus(
  built: PlanBuilder,
  { apiVersion, kind, metadata }: CustomResourceDefinition,
  status: object,
  reason: string,
): PlanBuilder {
  const { name, resourceVersion } = metadata
  return built.apply({ apiVersion, kind, metadata: { name, resourceVersion }, status } as ObjectRef, reason, {
    force: true,
    subresource: "status",
  })
}

/** Nothing but which object it is: an apply that owns no field changes none, and stores the object in the present version. */
function storedAgain(resource: Descriptor, { metadata: { name, namespace, uid, resourceVersion } }: KubeObject): ObjectRef {
  const metadata = { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion }
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata }
}

/** Versions are integers of any length without leading zeros. */
function isNewer(version: string, than: string): boolean {
  return version.length === than.length ? version > than : version.length > than.length
}

const passing: ReadonlySet<string> = new Set(["ServerTimeout", "TooManyRequests", "ServiceUnavailable", "InternalError", "Timeout"])

function mayPass(error: unknown): boolean {
  return isRetryable(error) || passing.has(reasonOf(error) ?? "")
}
