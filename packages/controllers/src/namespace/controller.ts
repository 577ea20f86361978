import { namespaces, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, countFlag, durationFlag, exponentialLimiter, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"
import { decide } from "./decide.ts"
import { isDeleted, observe } from "./observe.ts"
import { settle } from "./settle.ts"

export interface NamespaceOptions {
  /** --concurrent-namespace-syncs */
  readonly concurrentSyncs?: number
  /** --namespace-sync-period, in milliseconds. */
  readonly syncPeriod?: number
  /** --namespace-deletion-grace, in milliseconds: until every API server has seen the deletion, one of them may admit new objects. */
  readonly deletionGrace?: number
}

/** Upstream's default. */
const defaultGrace = 5000
/** Pods that are deleted at about the same time cause one reconcile. */
const podBatchPeriod = "1s"

/**
 * Deletes the content of a terminating namespace, of every resource that the server has, including custom ones: pods first, then the rest.
 * Reports in the conditions what is left and which finalizers hold it. A group that does not answer holds the namespace, but not the other content.
 * Finally removes `kubernetes` from spec.finalizers, and only that.
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
      watch(pods, "a pod of it is gone", ({ metadata }, read) => terminatingNamespace(metadata.namespace ?? "", read), {
        predicate: (change) => change.type === "deleted",
        delay: podBatchPeriod,
      }),
    ],
    maxConcurrentReconciles: concurrentSyncs,
    backoff: () => exponentialLimiter({ max: 60_000 }),
    observe,
    decide: (observed, { now }) => decide(observed, { now, syncPeriod }),
    settle,
  })
}

function terminatingNamespace(name: string, read: Reader): readonly string[] {
  return isDeleted(read.get(namespaces, name)) ? [name] : []
}

export const namespaceDescriptor = descriptor({
  name: "namespace-controller",
  aliases: ["namespace"],
  flags: {
    "concurrent-namespace-syncs": countFlag(10, "namespaces worked on at once"),
    "namespace-deletion-grace": durationFlag(
      "5s",
      "how long every API server may take to see that a namespace is terminating; 0 where there is one",
    ),
    "namespace-sync-period": durationFlag("5m", "the longest time until a terminating namespace is reconciled again"),
  },
  create: (set) =>
    namespaceController({
      concurrentSyncs: set["concurrent-namespace-syncs"],
      syncPeriod: set["namespace-sync-period"],
      deletionGrace: set["namespace-deletion-grace"],
    }),
})
