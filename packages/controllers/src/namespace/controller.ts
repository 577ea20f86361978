import { namespaces, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, exponentialLimiter, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../descriptor.ts"
import { countFlag, durationFlag } from "../flag.ts"
import { decide } from "./decide.ts"
import { isDeleted, observe } from "./observe.ts"
import { settle } from "./settle.ts"

export interface NamespaceOptions {
  /** --concurrent-namespace-syncs */
  readonly concurrentSyncs?: number
  /** --namespace-sync-period, in milliseconds. */
  readonly syncPeriod?: number
  /** --namespace-deletion-grace, in milliseconds: until every API server has seen that the namespace goes, one of them may let something new in. */
  readonly deletionGrace?: number
}

/** Upstream's. */
const defaultGrace = 5000
/** Pods that go at about the same time are one reason to look. */
const untilPodsAreCounted = "1s"

/**
 * Empties a namespace that is deleted, of every resource that the server has, custom ones too: pods first and alone, then the rest.
 * Says in the namespace's conditions what is left and who holds it; a group that does not answer holds it too, but nothing else.
 * When all is gone it takes `kubernetes` out of spec.finalizers, and only that.
 */
export function namespaceController({ concurrentSyncs = 10, syncPeriod, deletionGrace = defaultGrace }: NamespaceOptions = {}): Controller {
  return controller("namespace-controller", {
    for: namespaces,
    predicate: () => false,
    watches: [
      watch(namespaces, "it is deleted", ({ metadata }) => [metadata.name ?? ""], {
        predicate: (change) => change.type !== "deleted" && isDeleted(change.object),
        delay: deletionGrace,
      }),
      watch(pods, "a pod of it is gone", ({ metadata }, read) => goingNamespace(metadata.namespace ?? "", read), {
        predicate: (change) => change.type === "deleted",
        delay: untilPodsAreCounted,
      }),
    ],
    maxConcurrentReconciles: concurrentSyncs,
    backoff: () => exponentialLimiter({ max: 60_000 }),
    observe,
    decide: (observed, { now }) => decide(observed, { now, syncPeriod }),
    settle,
  })
}

function goingNamespace(name: string, read: Reader): readonly string[] {
  return isDeleted(read.get(namespaces, name)) ? [name] : []
}

export const namespaceDescriptor = descriptor({
  name: "namespace-controller",
  aliases: ["namespace"],
  flags: {
    "concurrent-namespace-syncs": countFlag(10, "namespaces worked on at once"),
    "namespace-deletion-grace": durationFlag("5s", "how long every API server may take to see that a namespace goes; 0 where there is one"),
    "namespace-sync-period": durationFlag("5m", "how long a namespace that is deleted waits at most for its next look"),
  },
  create: (set) =>
    namespaceController({
      concurrentSyncs: set["concurrent-namespace-syncs"],
      syncPeriod: set["namespace-sync-period"],
      deletionGrace: set["namespace-deletion-grace"],
    }),
})
