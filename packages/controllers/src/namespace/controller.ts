import { namespaces, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, exponentialLimiter, type Reader, watch } from "@pilothouse/runtime"
import { decide } from "./decide.ts"
import { isDeleted, observe } from "./observe.ts"
import { settle } from "./settle.ts"

export interface NamespaceOptions {
  /** --concurrent-namespace-syncs */
  readonly concurrentSyncs?: number
  /** --namespace-sync-period, in milliseconds. */
  readonly syncPeriod?: number
}

/** Time for every API server of a cluster to see that the namespace goes: until then one of them may still let something new in. */
const grace = "5s"

/**
 * Empties a namespace that is deleted, of every resource that the server has, custom ones too: pods first and alone, then the rest.
 * Says in the namespace's conditions what is left and who holds it; a group that does not answer holds it too, but nothing else.
 * When all is gone it takes `kubernetes` out of spec.finalizers, and only that.
 */
export function namespaceController({ concurrentSyncs = 10, syncPeriod }: NamespaceOptions = {}): Controller {
  return controller("namespace-controller", {
    for: namespaces,
    when: () => false,
    watches: [
      watch(namespaces, "it is deleted", ({ metadata }) => [metadata.name ?? ""], {
        when: (change) => change.type !== "deleted" && isDeleted(change.object),
        after: grace,
      }),
      watch(pods, "a pod of it is gone", ({ metadata }, read) => goingNamespace(metadata.namespace ?? "", read), {
        when: (change) => change.type === "deleted",
        after: grace,
      }),
    ],
    concurrency: concurrentSyncs,
    backoff: () => exponentialLimiter({ longest: 60_000 }),
    observe,
    decide: (observed, { now }) => decide(observed, { now, syncPeriod }),
    settle,
  })
}

function goingNamespace(name: string, read: Reader): readonly string[] {
  return isDeleted(read.get(namespaces, name)) ? [name] : []
}
