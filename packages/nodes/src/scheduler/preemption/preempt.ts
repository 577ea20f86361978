import { findCondition, matchesLabels, nothing, parseTime, type Selector } from "@pilothouse/api"
import type { PodDisruptionBudget } from "@pilothouse/api/policy/v1"
import type { NodeView } from "../cache/node-state.ts"
import type { Observed } from "../cache/observe.ts"
import { checksFor, type Refusal, type Refusals } from "../filters/filter.ts"
import { fitMessage } from "../filters/fit-message.ts"
import { findRefusalWithNominated } from "../filters/nominated.ts"
import type { PodFacts } from "../pod/pod-facts.ts"
import { readableSelector } from "../pod/readable-selector.ts"

/** Pods that have to leave a node for another, most important first. */
export interface Victims {
  readonly node: NodeView
  readonly victims: readonly PodFacts[]
  /** How many of them their budget does not allow to go. */
  readonly violations: number
}

/** The victims, or why there are none. */
export type Preemption = Victims | NoPreemption

interface NoPreemption {
  readonly message: string
  /** No victims were searched: an earlier nomination stands. */
  readonly notTried?: boolean
}

const unhelpful = { reasons: ["Preemption is not helpful for scheduling"] }
const noVictims = { reasons: ["No preemption victims found for incoming pod"] }

/** So many nodes are tried at least: with more there is always a good one among them. */
const fewestTried = 100

/** The message where preemption cannot help on any node. */
export function noHelp(nodes: number): string {
  return fitMessage(
    nodes,
    Array.from({ length: nodes }, () => unhelpful),
  )
}

/** Decides whether pods of lower priority on some node can make room, and which do the least harm: upstream's DefaultPreemption with its SelectVictimsOnNode. Pure. */
export function preempt(observed: Observed, refusals: Refusals): Preemption {
  const ineligible = whyIneligible(observed, refusals)
  if (ineligible !== undefined) return { message: ineligible, notTried: true }
  const limit = Math.max(fewestTried, Math.trunc(refusals.size / 10))
  const found: Victims[] = []
  const failed: Pick<Refusal, "reasons">[] = []
  for (const [node, refusal] of refusals) {
    const victims = refusal.resolvable ? victimsOn(node, observed) : unhelpful
    if ("victims" in victims) found.push(victims)
    else failed.push(victims)
    if (found.length >= limit) break
  }
  return found.sort(leastHarm)[0] ?? { message: fitMessage(observed.nodes.list().length, failed) }
}

function whyIneligible({ pod, nodes }: Observed, refusals: Refusals): string | undefined {
  if (pod.pod.spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never."
  const nominated = nodes.get(pod.pod.status?.nominatedNodeName ?? "")
  if (nominated === undefined || refusals.get(nominated)?.resolvable !== true) return undefined
  const leaving = [...nominated.pods()].some((other) => other.priority < pod.priority && leavesForUs(other))
  return leaving ? "not eligible due to a terminating pod on the nominated node." : undefined
}

function leavesForUs({ pod, isDeleting }: PodFacts): boolean {
  const condition = findCondition(pod.status?.conditions, "DisruptionTarget")
  return isDeleting && condition?.status === "True" && condition.reason === "PreemptionByScheduler"
}

/** All of lower priority go in thought; then as many as can stay are let back, the most important and those with a budget first. */
function victimsOn(node: NodeView, observed: Observed): Victims | Pick<Refusal, "reasons"> {
  const possible = [...node.pods()].filter(({ priority }) => priority < observed.pod.priority).sort(mostImportantFirst)
  if (possible.length === 0) return noVictims
  const findRefusal = () => findRefusalWithNominated(observed, checksFor(observed), node)
  return observed.nodes.without(possible, ({ putBack, remove }) => {
    const refusal = findRefusal()
    if (refusal !== undefined) return refusal
    const violating = violatesBudget(possible, observed.budgets)
    const gone = new Set(possible)
    for (const pod of [...possible.filter((one) => violating.has(one)), ...possible.filter((one) => !violating.has(one))]) {
      putBack(pod)
      if (findRefusal() === undefined) gone.delete(pod)
      else remove(pod)
    }
    const victims = possible.filter((pod) => gone.has(pod))
    return { node, victims, violations: victims.filter((pod) => violating.has(pod)).length }
  })
}

/** Those that go beyond what their budgets allow, counted from the most important on. */
function violatesBudget(possible: readonly PodFacts[], budgets: readonly PodDisruptionBudget[]): ReadonlySet<PodFacts> {
  const left = budgets.map((budget) => ({ budget, selector: selectorIn(budget), allowed: budget.status?.disruptionsAllowed ?? 0 }))
  const violating = new Set<PodFacts>()
  for (const pod of possible) {
    for (const entry of left) {
      if (entry.budget.metadata.namespace !== pod.namespace || !matchesLabels(entry.selector, pod.labels)) continue
      if (entry.budget.status?.disruptedPods?.[pod.pod.metadata.name ?? ""] !== undefined) continue
      entry.allowed--
      if (entry.allowed < 0) violating.add(pod)
    }
  }
  return violating
}

/** An empty selector is none here, as upstream has it. */
function selectorIn({ spec }: PodDisruptionBudget): Selector {
  const selector = readableSelector(spec?.selector)
  return selector.requirements.length === 0 ? nothing : selector
}

function mostImportantFirst(a: PodFacts, b: PodFacts): number {
  return b.priority - a.priority || startOf(a) - startOf(b)
}

function startOf({ pod }: PodFacts): number {
  return pod.status?.startTime === undefined ? Number.POSITIVE_INFINITY : parseTime(pod.status.startTime)
}

/** Fewest broken budgets, then the least important victim on top, then the least in sum, then the fewest, then the youngest. */
function leastHarm(a: Victims, b: Victims): number {
  const top = ({ victims }: Victims) => victims[0]?.priority ?? Number.NEGATIVE_INFINITY
  // Shifted as upstream does it, so that many of a low priority do not sum up to less than one.
  const sum = ({ victims }: Victims) => victims.reduce((total, { priority }) => total + priority + 2 ** 31, 0)
  return a.violations - b.violations || top(a) - top(b) || sum(a) - sum(b) || a.victims.length - b.victims.length || eldest(b) - eldest(a)
}

/** When the eldest of the most important victims began; a victim without a start time counts as the latest. */
function eldest({ victims }: Victims): number {
  const starts = victims.filter(({ priority }) => priority === victims[0]?.priority).map(startOf)
  return Math.min(Number.MAX_SAFE_INTEGER, ...starts)
}
