import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { smallestOf } from "@pilothouse/seams"
import { type Failures, untilNextTry } from "./pods/backoff.ts"
import { failuresUpTo, hasLimitPerIndex } from "./pods/index-failures.ts"
import { type Indexes, pendingIndexes } from "./pods/indexes.ts"
import { newIndexedPod, newPod } from "./pods/new-pod.ts"
import { replacesOnlyFailed } from "./pods/pod-outcome.ts"
import { victimsOf } from "./pods/pods-to-delete.ts"
import type { Tally } from "./tally.ts"

/** The most pods one look makes or deletes. */
const burst = 500

/** How the number of active pods is put right: some go, or some are made, or it has to wait. Never two of them at once. */
export interface Management {
  readonly remove: readonly Pod[]
  readonly create: readonly Pod[]
  /** Milliseconds until pods may be made again after failures. */
  readonly wait?: number
  readonly reason: string
}

interface Circumstances {
  readonly job: Job
  readonly pods: readonly Pod[]
  readonly tally: Tally
  readonly failures: Failures
  readonly now: number
}

export function manage(circumstances: Circumstances): Management {
  const { job, tally } = circumstances
  const { active, terminating } = tally
  if (job.spec?.suspend === true) return { remove: victimsOf(job, active, active.length), create: [], reason: "the Job is suspended" }
  const { count, reason } = wantedPods(job, tally)
  const remove = victimsOf(job, active, Math.max(0, active.length - count)).slice(0, burst)
  if (remove.length > 0) return { remove, create: [], reason: `${active.length} pods are active, and ${reason}` }
  const missing = count - active.length - (replacesOnlyFailed(job) ? terminating : 0)
  if (missing <= 0) return { remove, create: [], reason }
  return makePods(circumstances, Math.min(missing, burst), `${active.length} pods are active, and ${reason}`)
}

function wantedPods({ spec }: Job, { active, succeeded }: Tally): { readonly count: number; readonly reason: string } {
  const parallelism = spec?.parallelism ?? 1
  if (spec?.completions !== undefined) {
    const left = Math.max(0, spec.completions - succeeded)
    return {
      count: Math.min(left, parallelism),
      reason: `${left} of ${spec.completions} completions are left for ${parallelism} pods at a time`,
    }
  }
  // The pods share a queue of work. The first that ends well has seen the end of it: the others finish what they have in hand.
  if (succeeded > 0) return { count: active.length, reason: "one pod has ended well: no more are started" }
  return { count: parallelism, reason: `${parallelism} are to work at a time until one ends well` }
}

function makePods(circumstances: Circumstances, count: number, reason: string): Management {
  const { job, tally, failures, now } = circumstances
  const wait = hasLimitPerIndex(job) ? 0 : untilNextTry(failures, now)
  if (wait > 0) return { remove: [], create: [], wait, reason: `${failures.count} pods failed one after the other` }
  if (tally.indexes !== undefined) return makeIndexedPods(circumstances, tally.indexes, count, reason)
  return { remove: [], create: Array.from({ length: count }, () => newPod(job)), reason }
}

/** Each index waits for itself: those that may begin do so, whatever the others have to wait for. */
function makeIndexedPods({ job, pods, tally, now }: Circumstances, indexes: Indexes, count: number, reason: string): Management {
  const pending = pendingIndexes(job, indexes, pods, tally.active, count)
  const waits = pending.map((index) => untilNextTry(failuresUpTo(indexes.kept.get(index)), now))
  const create = pending.filter((_, at) => waits[at] === 0).map((index) => newIndexedPod(job, index, indexes.kept.get(index)))
  const longer = waits.filter((wait) => wait > 0)
  if (longer.length === 0) return { remove: [], create, reason }
  const why = create.length > 0 ? reason : `each of ${longer.length} indexes waits after a failure`
  return { remove: [], create, wait: smallestOf(longer), reason: why }
}
