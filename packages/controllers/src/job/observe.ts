import { controllerOf, deepEqual, type KubeObject, selectorOf, splitKey } from "@pilothouse/api"
import { type Job, jobs } from "@pilothouse/api/batch/v1"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { byController, type ClaimOptions, claim, index, type KubeOperation, type Reader } from "@pilothouse/runtime"
import { orphansByLabel, orphansMatching } from "../shared/orphan-index.ts"
import { matchingSelectors, selectorIndex } from "../shared/selector-index.ts"
import { isFinished } from "./finished.ts"
import {
  type FailureMemory,
  type Failures,
  failuresSinceSuccess,
  isWorthRemembering,
  noFailures,
  type PodEndings,
  type RememberEndings,
} from "./pods/backoff.ts"
import { hasLimitPerIndex } from "./pods/index-failures.ts"
import { noJob, trackingFinalizer, trackingKeys } from "./pods/tracking-finalizer.ts"

export const podsByController = byController(pods)
export const orphanPods = orphansByLabel(pods)
export const jobsBySelector = selectorIndex(jobs, ({ spec }) => selectorOf(spec?.selector))
export const trackedPods = index(pods, "job-tracking", trackingKeys)

export interface Observed {
  /** Tracked pods that no Job counts any more: their Job has finished or is deleted. */
  readonly orphans: readonly Pod[]
  /** Undefined when the Job itself needs no work; `idleReason` says why. */
  readonly work?: Work
  readonly idleReason?: string
  /** Records how its pods ended; undefined when the memory has it already. */
  readonly remember?: RememberEndings
}

export interface Work {
  readonly job: Job
  /** Owned pods and those that the claims adopt, including finished ones. */
  readonly pods: readonly Pod[]
  /** Adoptions and releases. */
  readonly claims: readonly KubeOperation[]
  readonly failures: Failures
}

/** The key is that of a Job; "namespace/-" stands for the tracked pods of a namespace that have no Job as owner. */
export async function observe(key: string, read: Reader, memory: FailureMemory): Promise<Observed | undefined> {
  if (splitKey(key).name === noJob) return { orphans: ownerlessPods(key, read), idleReason: "a Job selects it, and will adopt it" }
  const live = needsLiveJob(key, read) ? await read.live(jobs, key) : undefined
  const job = read.get(jobs, key)
  // The caches may lag: the pods of a new Job may be seen before the Job.
  const foreign = foreignPods(key, read, job).filter((pod) => controllerOf(pod)?.uid !== live?.metadata.uid)
  const idleReason = job === undefined ? "the Job is gone" : idleReasonOf(job)
  if (job === undefined || idleReason !== undefined) {
    const orphans = job !== undefined && isFinished(job) ? read.byIndex(trackedPods, key) : foreign
    return { orphans, idleReason, remember: memory.of(key) && rememberEndings(key, undefined, "no more pods are created for it") }
  }
  const { owned, adopt, release } = claim({ ...claimOptions(job, read), live })
  const endings = hasLimitPerIndex(job) ? undefined : memory.recall(job, owned)
  const failures = endings === undefined ? noFailures : failuresSinceSuccess(endings)
  return {
    orphans: foreign,
    work: { job, pods: owned, claims: [...adopt, ...release], failures },
    remember: hasChanged(endings, memory.of(key))
      ? rememberEndings(key, endings, "a deleted pod takes the time of its failure with it")
      : undefined,
  }
}

function hasChanged(endings: PodEndings | undefined, before: PodEndings | undefined): boolean {
  return before === undefined ? endings !== undefined && isWorthRemembering(endings) : !deepEqual(endings, before)
}

function rememberEndings(key: string, endings: PodEndings | undefined, reason: string): RememberEndings {
  return { do: "remember-endings", to: `the pods of the Job ${key}`, reason, key, endings }
}

function idleReasonOf(job: Job): string | undefined {
  const { managedBy } = job.spec ?? {}
  if (managedBy !== undefined && managedBy !== "kubernetes.io/job-controller") return `${managedBy} manages the Job`
  return isFinished(job) ? "the Job has ended" : undefined
}

/** Reports whether the Job has to be read from the API server: before a pod is adopted, or released because its Job is deleted. */
function needsLiveJob(key: string, read: Reader): boolean {
  const job = read.get(jobs, key)
  if (foreignPods(key, read, job).length > 0) return true
  if (job === undefined || idleReasonOf(job) !== undefined) return false
  return claim({ ...claimOptions(job, read), live: job }).adopt.length > 0
}

/** Tracked pods of another Job of this name, usually a deleted predecessor. */
function foreignPods(key: string, read: Reader, job: KubeObject | undefined): readonly Pod[] {
  return read.byIndex(trackedPods, key).filter((pod) => controllerOf(pod)?.uid !== job?.metadata.uid)
}

function ownerlessPods(key: string, read: Reader): readonly Pod[] {
  const selected = (pod: Pod) =>
    matchingSelectors(read, jobsBySelector, pod).some((job) => idleReasonOf(job) === undefined && isStaying(job))
  return read.byIndex(trackedPods, key).filter((pod) => !isStaying(pod) || !selected(pod))
}

function isStaying({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined
}

function claimOptions(job: Job, read: Reader): ClaimOptions<Pod> {
  const selector = selectorOf(job.spec?.selector)
  const own = read.byIndex(podsByController, job.metadata.uid ?? "")
  const candidates = [...own, ...orphansMatching(read, orphanPods, job.metadata.namespace ?? "", selector)]
  return { owner: job, kind: jobs, selector, candidates, finalizers: [trackingFinalizer] }
}
