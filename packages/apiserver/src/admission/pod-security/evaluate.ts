import { controllerOf } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { listPrefix } from "../../registry/object-key.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import type { CheckedPod, Violation } from "./checks/check.ts"
import { formatPolicy, type LevelVersion, type Policy, samePolicy } from "./checks/policy.ts"
import { detailsOf, reasonsOf, standard } from "./checks/standards.ts"
import { countEvaluation } from "./metrics.ts"

/** Checks a pod against the policy of its namespace. Returns why it is refused; otherwise adds the warnings. Templates are not held to what is enforced. */
export function evaluatePod(attributes: AdmissionAttributes, policy: Policy, pod: CheckedPod, enforces: boolean): string | undefined {
  const found = new Map<LevelVersion, readonly Violation[]>()
  const violationsOf = (wanted: LevelVersion) => {
    const same = [...found.keys()].find((one) => samePolicy(one, wanted))
    if (same === undefined) found.set(wanted, standard(wanted)(pod))
    return found.get(same ?? wanted)!
  }
  const { enforce, audit, warn } = policy
  const refused = enforces ? violationsOf(enforce) : []
  if (enforces) countEvaluation(attributes, refused.length > 0 ? "deny" : "allow", enforce, "enforce")
  if (violationsOf(audit).length > 0) countEvaluation(attributes, "deny", audit, "audit")
  if (refused.length > 0) return `violates PodSecurity "${formatPolicy(enforce)}": ${detailsOf(refused)}`
  const warned = violationsOf(warn)
  if (warned.length === 0) return undefined
  attributes.warnings.add(`would violate PodSecurity "${formatPolicy(warn)}": ${detailsOf(warned)}`)
  countEvaluation(attributes, "deny", warn, "warn")
  return undefined
}

/** Pods of a namespace that are checked when it enforces more than before; one of each controller comes first. */
const maxPods = 3000
/** Milliseconds after which the rest of them is left out. */
const maxTime = 1000

/** Returns warnings of the pods that a namespace has already and that violate what it enforces from now on. Nothing is done about them. */
export async function existingPodWarnings(
  { server, name: namespace }: AdmissionAttributes,
  enforce: LevelVersion,
  exemptRuntimeClasses: readonly string[],
): Promise<readonly string[]> {
  const { storage, registry, turns, clock } = server
  const stored = storage.list(listPrefix(registry.of(pods), namespace)).items
  const checked = oneOfEachController(
    stored.map(({ value }) => value as Pod),
    exemptRuntimeClasses,
  )
  const violationsOf = standard(enforce)
  const violating = new Map<string, string[]>()
  const [since, pause] = [clock.elapsed(), turns.begin()]
  let count = 0
  for (const pod of checked.slice(0, maxPods)) {
    count++
    const reasons = reasonsOf(violationsOf(pod))
    if (reasons !== "") namesOf(violating, reasons).push(pod.metadata.name ?? "")
    const waiting = pause()
    if (waiting !== undefined) await waiting
    if (clock.elapsed() - since > maxTime) break
  }
  return [
    ...(count < checked.length
      ? [`new PodSecurity enforce level only checked against the first ${count} of ${checked.length} existing pods`]
      : []),
    ...(violating.size > 0
      ? [`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${formatPolicy(enforce)}"`]
      : []),
    ...[...violating].map(([reasons, names]) => `${podsNamed(names)}: ${reasons}`).sort(),
  ]
}

function namesOf(violating: Map<string, string[]>, reasons: string): string[] {
  const names = violating.get(reasons) ?? []
  violating.set(reasons, names)
  return names
}

/** The replicas of one controller are alike: the others come last, where there may be no time for them. */
function oneOfEachController(all: readonly Pod[], exemptRuntimeClasses: readonly string[]): readonly Pod[] {
  const [first, rest]: [Pod[], Pod[]] = [[], []]
  const seen = new Set<string>()
  for (const pod of all) {
    if (exemptRuntimeClasses.includes(pod.spec?.runtimeClassName ?? "")) continue
    const uid = controllerOf(pod)?.uid
    if (uid === undefined || !seen.has(uid)) first.push(pod)
    else rest.push(pod)
    if (uid !== undefined) seen.add(uid)
  }
  return [...first, ...rest]
}

/** `web-1 (and 2 other pods)`: the first by name stands for those that violate the same. */
function podsNamed(names: readonly string[]): string {
  const first = names.reduce((min, name) => (name < min ? name : min))
  const others = names.length - 1
  return others === 0 ? first : `${first} (and ${others} other ${others === 1 ? "pod" : "pods"})`
}
