import { isPodTerminal } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { followPolicy, provideClaims, staleClaim } from "./claims.ts"
import { desiredReplicas, endOrdinal, maxCreates, podName, type Replica, replicaSlots } from "./ordinals.ts"
import { isAvailable, isRunningAndReady, isTerminating } from "./pod-state.ts"
import { hasIdentity, hasStorage, repairedPod } from "./stateful-pod.ts"
import { isUnavailable, newPod, type SyncContext } from "./sync-context.ts"
import { mergeWork, noWork, type Work, waiting } from "./work.ts"

/** Fills the ordinals: in order up to the first that is not available, or as many at once as one reconcile may create. */
export function fillReplicas(context: SyncContext): Work {
  const works: Work[] = []
  const max = maxCreates(context.set, context.staying)
  let created = 0
  for (const replica of replicaSlots(context.set, context.staying, () => created >= max)) {
    const work = fillReplica(replica, context)
    works.push(work)
    if (replica.pod === undefined) created += work.pods.length
    if (context.ordered && work.waitFor !== undefined) break
  }
  const work = mergeWork(works)
  return context.ordered ? work : { ...work, waitFor: undefined }
}

function fillReplica({ pod, ordinal, name }: Replica, context: SyncContext): Work {
  if (pod === undefined) return create(newPod(context, ordinal), context)
  const { phase } = pod.status ?? {}
  // Whether an evicted or stopped pod counts as failed or succeeded depends on its exit code: both are recreated.
  if (phase === "Failed" || phase === "Succeeded") return replaceEnded(pod, phase)
  const provided = phase === "Pending" ? provide(pod, context) : noWork
  const waitFor = context.ordered ? whyNotNext(pod, name, context) : undefined
  return waitFor === undefined ? mergeWork([provided, repair(pod, context)]) : { ...provided, waitFor }
}

function replaceEnded(pod: Pod, phase: string): Work {
  const reason = `it has ended (${phase}), and ${pod.metadata.name} should run`
  return { ...waiting(`${pod.metadata.name} to be gone`), pods: isTerminating(pod) ? [] : [{ do: "delete", object: pod, reason }] }
}

function create(pod: Pod, context: SyncContext): Work {
  const { set, claims, ordered } = context
  const name = pod.metadata.name ?? ""
  const stale = staleClaim(set, pod, claims)
  if (stale !== undefined) return waiting(`the claim ${stale} of an earlier ${name} to be gone`)
  const { operations, blocked, conflicting } = provideClaims(set, pod, claims)
  if (blocked !== undefined) {
    const message = `Create Pod ${name} in StatefulSet ${set.metadata.name} failed error: ${blocked}`
    return { ...waiting(blocked), claims: operations, events: [{ reason: "FailedCreate", message }] }
  }
  const reason = ordered ? `${name} is missing, and all before it are available` : `${name} is missing`
  return {
    claims: operations,
    pods: [{ do: "create", object: pod, reason }],
    waitFor: `${name} to be available`,
    events: conflicts(conflicting),
  }
}

/** Recreates deleted claims of a pending pod, which may wait for them. */
function provide(pod: Pod, { set, claims }: SyncContext): Work {
  const { operations, conflicting } = provideClaims(set, pod, claims)
  return { ...noWork, claims: operations, events: conflicts(conflicting) }
}

function whyNotNext(pod: Pod, name: string, { set, now }: SyncContext): string | undefined {
  if (isTerminating(pod)) return `${name} to be gone`
  if (!isRunningAndReady(pod)) return `${name} to be running and ready`
  return isAvailable(pod, set, now) ? undefined : `${name} to be available`
}

function repair(pod: Pod, { set, claims }: SyncContext): Work {
  const owners = pod.status?.phase === "Pending" ? [] : followPolicy(set, pod, claims)
  if (hasIdentity(pod) && hasStorage(set, pod)) return { ...noWork, claims: owners }
  const provided = hasStorage(set, pod) ? owners : provideClaims(set, pod, claims).operations
  const reason = hasIdentity(pod) ? "it lacks volumes of the set's claims" : "it lacks the label with its name"
  return { ...noWork, claims: provided, pods: [{ do: "update", object: repairedPod(set, pod), reason }] }
}

function conflicts(claims: readonly string[]): Work["events"] {
  const message = (claim: string) =>
    `PersistentVolumeClaim ${claim} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`
  return claims.map((claim) => ({ reason: "ConflictingController", message: message(claim) }))
}

/** Deletes pods from the highest ordinal down: one at a time and only while all others are available, or all at once. */
export function scaleDown(context: SyncContext): Work {
  const { set, condemned, claims, ordered } = context
  // The owners of a claim are set before its pod is deleted, so that they say whether the claim is deleted too.
  const owners: Work = { ...noWork, claims: condemned.flatMap((pod) => followPolicy(set, pod, claims)) }
  if (condemned.length === 0) return noWork
  if (!ordered) return mergeWork([owners, ...condemned.filter((pod) => !isTerminating(pod)).map((pod) => removal(pod, context))])
  const last = condemned[0]!
  return mergeWork([owners, whyNotYet(last, context) ?? removal(last, context)])
}

function removal(pod: Pod, { set }: SyncContext): Work {
  const reason = desiredReplicas(set) === 0 ? "no pods are wanted" : `the pods end at ${podName(set, endOrdinal(set) - 1)}`
  return { ...noWork, pods: [{ do: "delete", object: pod, reason }], waitFor: `${pod.metadata.name} to be gone` }
}

/** Returns why the pod cannot be deleted yet. An unavailable pod may be deleted if it is the only unavailable one. */
function whyNotYet(pod: Pod, context: SyncContext): Work | undefined {
  if (isTerminating(pod)) return waiting(`${pod.metadata.name} to be gone`)
  if (isPodTerminal(pod)) return undefined
  if (isRunningAndReady(pod) && isAvailable(pod, context.set, context.now)) return undefined
  const first = firstUnavailable(context)
  return first === pod ? undefined : waiting(`${first?.metadata.name} to be available before ${pod.metadata.name} goes`)
}

/** Ignores finished surplus pods: they never become available again. */
function firstUnavailable(context: SyncContext): Pod | undefined {
  const condemned = context.condemned.toReversed().filter((pod) => !isPodTerminal(pod))
  return [...context.staying, ...condemned].find((pod) => isUnavailable(pod, context))
}
