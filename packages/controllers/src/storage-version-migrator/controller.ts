import { isConditionTrue, keyOf } from "@pilothouse/api"
import { type StorageVersionMigration, storageVersionMigrations } from "@pilothouse/api/storagemigration/v1beta1"
import { type Controller, controller, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"
import { decide, settle } from "./decide.ts"
import { isFinished, observe, resourceNameOf } from "./observe.ts"

const name = "storage-version-migrator-controller"

/**
 * Stores all objects of a resource again, so that none is left in a version that is to be removed. A StorageVersionMigration names the resource; of those
 * that name the same one runs at a time, the oldest first. Its status goes from Running over the resourceVersion up to which objects are stored again to
 * Succeeded or Failed. A definition has the condition StorageMigrating meanwhile, and only its storage version in status.storedVersions when all went well.
 * Every object is applied with nothing but its uid and resourceVersion: what was written or deleted meanwhile is a conflict, and needs no migration.
 */
export function storageVersionMigratorController(): Controller {
  return controller(name, {
    for: storageVersionMigrations,
    predicate: ({ type }) => type !== "deleted",
    fieldManager: name,
    // Two that are reconciled at once would both find that none runs. One may take long.
    maxConcurrentReconciles: 1,
    reconcileTimeout: "1h",
    watches: [
      watch(storageVersionMigrations, "another migration of the resource has ended", waitingBehind, {
        predicate: (change, initial) =>
          !initial && (change.type === "deleted" || !isConditionTrue(change.object.status?.conditions, "Running")),
      }),
    ],
    observe,
    decide,
    settle,
  })
}

function waitingBehind(ended: StorageVersionMigration, read: Reader): readonly string[] {
  const resource = resourceNameOf(ended)
  return read
    .list(storageVersionMigrations)
    .filter((one) => !isFinished(one) && resourceNameOf(one) === resource)
    .map(keyOf)
}

/** Off by default, as the kind is: a server without it would be asked for it for ever. */
export const storageVersionMigratorDescriptor = descriptor({
  name,
  aliases: ["svm"],
  onByDefault: false,
  featureGate: { name: "StorageVersionMigrator", maturity: "beta" },
  create: () => storageVersionMigratorController(),
})
