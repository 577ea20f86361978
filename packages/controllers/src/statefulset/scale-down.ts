import { isPodTerminal } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { followPolicy } from "./claims.ts"
import { endOrdinal, podName, wantedReplicas } from "./ordinals.ts"
import { isAvailable, isRunningAndReady, isTerminating } from "./pod-state.ts"
import { isUnavailable, type Situation } from "./situation.ts"
import { noWork, together, type Work, waiting } from "./work.ts"

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
