import { controllerOf, deepEqual, type KubeObject, selectorOf, splitKey } from "@pilothouse/api"
import { type Job, jobs } from "@pilothouse/api/batch/v1"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { byController, type ClaimOptions, claim, index, type KubeOperation, type Reader } from "@pilothouse/runtime"
import { orphansByLabel, orphansMatching } from "../shared/orphan-index.ts"
import { matchingSelectors, selectorIndex } from "../shared/selector-index.ts"
import { isFinished } from "./finished.ts"
import {
  type Endings,
  type FailureMemory,
  type Failures,
  failuresIn,
  isWorthRemembering,
  noFailures,
  type RememberEndings,
} from "./pods/backoff.ts"
import { hasLimitPerIndex } from "./pods/index-failures.ts"
import { nobody, trackingFinalizer, trackingKeys } from "./pods/tracking-finalizer.ts"

export const podsByController = byController(pods)
export const orphanPods = orphansByLabel(pods)
export const jobsBySelector = selectorIndex(jobs, ({ spec }) => selectorOf(spec?.selector))
export const trackedPods = index(pods, "job-tracking", trackingKeys)

export interface Observed {
  /** Tracked pods that no Job counts any more: theirs has ended, or is gone. */
  readonly strays: readonly Pod[]
  /** Undefined when nothing is to be done about the Job itself; `rests` says why. */
  readonly work?: Work
  readonly rests?: string
  /** What is to be remembered of how its pods ended; undefined when that is known already. */
  readonly remember?: RememberEndings
}

export interface Work {
  readonly job: Job
  /** Its own, and those that the claims make its own; ended ones too. */
  readonly pods: readonly Pod[]
  /** Adoptions and releases. */
  readonly claims: readonly KubeOperation[]
  readonly failures: Failures
}

/** The key is that of a Job; "namespace/-" stands for the tracked pods of a namespace that name no Job. */
export async function observe(key: string, read: Reader, memory: FailureMemory): Promise<Observed | undefined> {
  if (splitKey(key).name === nobody) return { strays: ownerless(key, read), rests: "a Job selects it, and will adopt it" }
  const live = wantsLive(key, read) ? await read.live(jobs, key) : undefined
  const job = read.get(jobs, key)
  // A cache can be late: of a Job that was just made the pods may be seen first.
  const foreign = foreignPods(key, read, job).filter((pod) => controllerOf(pod)?.uid !== live?.metadata.uid)
  const rests = job === undefined ? "the Job is gone" : whyResting(job)
  if (job === undefined || rests !== undefined) {
    const strays = job !== undefined && isFinished(job) ? read.byIndex(trackedPods, key) : foreign
    return { strays, rests, remember: memory.of(key) && remembering(key, undefined, "nothing more is made for it") }
  }
  const { owned, adopt, release } = claim({ ...claimOf(job, read), live })
  const endings = hasLimitPerIndex(job) ? undefined : memory.recall(job, owned)
  const failures = endings === undefined ? noFailures : failuresIn(endings)
  return {
    strays: foreign,
    work: { job, pods: owned, claims: [...adopt, ...release], failures },
    remember: isNews(endings, memory.of(key))
      ? remembering(key, endings, "a pod that goes takes the time of its failure with it")
      : undefined,
  }
}

function isNews(endings: Endings | undefined, before: Endings | undefined): boolean {
  return before === undefined ? endings !== undefined && isWorthRemembering(endings) : !deepEqual(endings, before)
}

function remembering(key: string, endings: Endings | undefined, reason: string): RememberEndings {
  return { do: "remember-endings", to: `the pods of the Job ${key}`, reason, key, endings }
}

function whyResting(job: Job): string | undefined {
  const { managedBy } = job.spec ?? {}
  if (managedBy !== undefined && managedBy !== "kubernetes.io/job-controller") return `${managedBy} manages the Job`
  return isFinished(job) ? "the Job has ended" : undefined
}

/** The server itself is asked before a pod is adopted, and before one is let go because its Job is gone. */
function wantsLive(key: string, read: Reader): boolean {
  const job = read.get(jobs, key)
  if (foreignPods(key, read, job).length > 0) return true
  if (job === undefined || whyResting(job) !== undefined) return false
  return claim({ ...claimOf(job, read), live: job }).adopt.length > 0
}

/** Tracked pods of another Job of this name: one that was there before, mostly. */
function foreignPods(key: string, read: Reader, job: KubeObject | undefined): readonly Pod[] {
  return read.byIndex(trackedPods, key).filter((pod) => controllerOf(pod)?.uid !== job?.metadata.uid)
}

function ownerless(key: string, read: Reader): readonly Pod[] {
  const selected = (pod: Pod) => matchingSelectors(read, jobsBySelector, pod).some((job) => whyResting(job) === undefined && isStaying(job))
  return read.byIndex(trackedPods, key).filter((pod) => !isStaying(pod) || !selected(pod))
}

function isStaying({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined
}

function claimOf(job: Job, read: Reader): ClaimOptions<Pod> {
  const selector = selectorOf(job.spec?.selector)
  const own = read.byIndex(podsByController, job.metadata.uid ?? "")
  const candidates = [...own, ...orphansMatching(read, orphanPods, job.metadata.namespace ?? "", selector)]
  return { owner: job, kind: jobs, selector, candidates, finalizers: [trackingFinalizer] }
}
