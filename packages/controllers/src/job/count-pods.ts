import { isPodTerminal, keyOf } from "@pilothouse/api"
import { type Job, jobs } from "@pilothouse/api/batch/v1"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { type CacheObserver, cacheObserver } from "@pilothouse/runtime"
import type { JobMetrics } from "./metrics.ts"
import { isTracked } from "./tracking-finalizer.ts"

/** Names of other controllers that are counted by themselves, as upstream does with all of them: the name is the user's text, and a series lasts. */
const maxNamedManagers = 100
/** Counts Jobs of all further names. No managedBy can be this word: it has a slash. */
const otherManagers = "other"

/** Counts what others do to Jobs and their pods: it is seen in the caches, and nowhere else. */
export function countPods({ tracked, external }: JobMetrics): readonly CacheObserver[] {
  const seen = new Set<string>()
  const named = new Set<string>()
  const labelOf = (manager: string) => {
    if (named.size < maxNamedManagers) named.add(manager)
    return named.has(manager) ? manager : otherManagers
  }
  return [
    cacheObserver(pods, {
      restart() {},
      changed(change) {
        const was = change.type === "updated" && isEndedAndTracked(change.old)
        const is = change.type !== "deleted" && isEndedAndTracked(change.object)
        if (change.type === "deleted" ? isEndedAndTracked(change.object) : was !== is) tracked.add(1, { event: is ? "add" : "delete" })
      },
    }),
    cacheObserver(jobs, {
      restart: () => seen.clear(),
      changed({ type, object }) {
        const manager = otherManager(object)
        const key = keyOf(object)
        if (type === "deleted") seen.delete(key)
        if (type !== "added" || manager === undefined || seen.has(key)) return
        seen.add(key)
        external.add(1, { controller_name: labelOf(manager) })
      },
    }),
  ]
}

function isEndedAndTracked(pod: Pod): boolean {
  return isPodTerminal(pod) && isTracked(pod)
}

function otherManager({ spec }: Job): string | undefined {
  const { managedBy } = spec ?? {}
  return managedBy === "kubernetes.io/job-controller" ? undefined : managedBy
}
