import { namespaces } from "@pilothouse/api/core/v1"
import { type Controller, controller, countFlag, switchFlag } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { AbsentOwners } from "./absent-owners.ts"
import { decide, settle } from "./decide.ts"
import { dependentsByOwner, objectsByUid } from "./indexes.ts"
import { isCollected } from "./kinds.ts"
import { countSyncErrors } from "./metrics.ts"
import { observe } from "./observe.ts"
import { watchesFor } from "./watches.ts"

export const garbageCollectorDescriptor = descriptor({
  name: "garbage-collector-controller",
  aliases: ["garbagecollector"],
  flags: {
    "enable-garbage-collector": switchFlag(true, "whether objects without an owner left are deleted"),
    "concurrent-gc-syncs": countFlag(20, "objects worked on at once"),
  },
  create: (set, { metrics }) =>
    set["enable-garbage-collector"] ? garbageCollectorController({ metrics, concurrentSyncs: set["concurrent-gc-syncs"] }) : [],
})

/**
 * Deletes what is left behind when its owners have gone: in the background, or before the owner where the owner waits for that.
 * Orphans dependents where an owner is deleted with the policy Orphan. Removes references to deleted owners where others are left.
 * Every resource that the server has is collected, custom ones too, by its metadata. Keys are a resource and the key of an object in it
 * ("pods default/web-1"). Never relies on a cache that an owner is deleted: it reads from the server, and does not delete what has changed since.
 */
export function garbageCollectorController({
  metrics,
  concurrentSyncs = 20,
}: {
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
} = {}): Controller {
  const absent = new AbsentOwners()
  return controller("garbage-collector-controller", {
    for: namespaces,
    // The discovered kinds say which keys, namespaces among them.
    predicate: () => false,
    dynamicKinds: {
      metadataOnly: true,
      failed: metrics && countSyncErrors(metrics),
      includes: isCollected,
      watches: watchesFor,
      indexes: (of) => [dependentsByOwner(of), objectsByUid(of)],
    },
    maxConcurrentReconciles: concurrentSyncs,
    observe: (key, read) => observe(key, read, absent),
    decide,
    settle,
  })
}
