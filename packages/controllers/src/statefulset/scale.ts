import { isPodTerminal } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { followPolicy, provideClaims, staleClaim } from "./claims.ts"
import { endOrdinal, mostCreates, podName, type Replica, replicasOf, wantedReplicas } from "./ordinals.ts"
import { isAvailable, isRunningAndReady, isTerminating } from "./pod-state.ts"
import { hasIdentity, hasStorage, mendedPod } from "./stateful-pod.ts"
import { isUnavailable, newPod, type Situation } from "./sync-context.ts"
import { noWork, together, type Work, waiting } from "./work.ts"

/** Fills the places: in order up to the first that is not available, or as many at once as one reconcile may. */
export function fill(situation: Situation): Work {
  const works: Work[] = []
  const most = mostCreates(situation.set, situation.staying)
  let created = 0
  for (const replica of replicasOf(situation.set, situation.staying, () => created >= most)) {
    const work = fillOne(replica, situation)
    works.push(work)
    if (replica.pod === undefined) created += work.pods.length
    if (situation.ordered && work.waitFor !== undefined) break
  }
  const work = together(works)
  return situation.ordered ? work : { ...work, waitFor: undefined }
}

function fillOne({ pod, ordinal, name }: Replica, situation: Situation): Work {
  if (pod === undefined) return create(newPod(situation, ordinal), situation)
  const { phase } = pod.status ?? {}
  // Whether an evicted or stopped pod counts as failed or succeeded depends on its exit code: both have to come again.
  if (phase === "Failed" || phase === "Succeeded") return replaceEnded(pod, phase)
  const provided = phase === "Pending" ? provide(pod, situation) : noWork
  const waitFor = situation.ordered ? whyNotNext(pod, name, situation) : undefined
  return waitFor === undefined ? together([provided, mend(pod, situation)]) : { ...provided, waitFor }
}

function replaceEnded(pod: Pod, phase: string): Work {
  const reason = `it has ended (${phase}), and ${pod.metadata.name} should run`
  return { ...waiting(`${pod.metadata.name} to be gone`), pods: isTerminating(pod) ? [] : [{ do: "delete", object: pod, reason }] }
}

function create(pod: Pod, situation: Situation): Work {
  const { set, claims, ordered } = situation
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

/** A pod that waits for its node may wait for a claim that somebody has deleted. */
function provide(pod: Pod, { set, claims }: Situation): Work {
  const { operations, conflicting } = provideClaims(set, pod, claims)
  return { ...noWork, claims: operations, events: conflicts(conflicting) }
}

function whyNotNext(pod: Pod, name: string, { set, now }: Situation): string | undefined {
  if (isTerminating(pod)) return `${name} to be gone`
  if (!isRunningAndReady(pod)) return `${name} to be running and ready`
  return isAvailable(pod, set, now) ? undefined : `${name} to be available`
}

function mend(pod: Pod, { set, claims }: Situation): Work {
  const owners = pod.status?.phase === "Pending" ? [] : followPolicy(set, pod, claims)
  if (hasIdentity(pod) && hasStorage(set, pod)) return { ...noWork, claims: owners }
  const provided = hasStorage(set, pod) ? owners : provideClaims(set, pod, claims).operations
  const reason = hasIdentity(pod) ? "it lacks volumes of the set's claims" : "it lacks the label with its name"
  return { ...noWork, claims: provided, pods: [{ do: "update", object: mendedPod(set, pod), reason }] }
}

function conflicts(claims: readonly string[]): Work["events"] {
  const message = (claim: string) =>
    `PersistentVolumeClaim ${claim} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`
  return claims.map((claim) => ({ reason: "ConflictingController", message: message(claim) }))
}

/** Takes pods away from the highest number down: one at a time and only while all others are available, or all at once. */
export function scaleDown(situation: Situation): Work {
  const { set, condemned, claims, ordered } = situation
  // The claim of a pod that goes has to know whether it goes too before the pod does.
  const owners: Work = { ...noWork, claims: condemned.flatMap((pod) => followPolicy(set, pod, claims)) }
  if (condemned.length === 0) return noWork
  if (!ordered) return together([owners, ...condemned.filter((pod) => !isTerminating(pod)).map((pod) => removal(pod, situation))])
  const last = condemned[0]!
  return together([owners, whyNotYet(last, situation) ?? removal(last, situation)])
}

function removal(pod: Pod, { set }: Situation): Work {
  const reason = wantedReplicas(set) === 0 ? "no pods are wanted" : `the pods end at ${podName(set, endOrdinal(set) - 1)}`
  return { ...noWork, pods: [{ do: "delete", object: pod, reason }], waitFor: `${pod.metadata.name} to be gone` }
}

/** One that is broken itself may go, if it is the only broken one: else it would have to be mended first. */
function whyNotYet(pod: Pod, situation: Situation): Work | undefined {
  if (isTerminating(pod)) return waiting(`${pod.metadata.name} to be gone`)
  if (isPodTerminal(pod)) return undefined
  if (isRunningAndReady(pod) && isAvailable(pod, situation.set, situation.now)) return undefined
  const first = firstUnavailable(situation)
  return first === pod ? undefined : waiting(`${first?.metadata.name} to be available before ${pod.metadata.name} goes`)
}

/** One that has ended and is not wanted never gets better: whoever waited for it would wait for ever. */
function firstUnavailable(situation: Situation): Pod | undefined {
  const condemned = situation.condemned.toReversed().filter((pod) => !isPodTerminal(pod))
  return [...situation.staying, ...condemned].find((pod) => isUnavailable(pod, situation))
}
