import type { Pod } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { fill } from "./fill.ts"
import type { Observed } from "./observe.ts"
import { cleanUpHistory, keepHistory, versionsOf } from "./revisions.ts"
import { rollOut } from "./rolling.ts"
import { scaleDown } from "./scale-down.ts"
import { type Situation, situationOf } from "./situation.ts"
import { nextAvailability, reportStatus, statusOf, tellsSameRevisions } from "./status.ts"
import { noWork, together, type Work } from "./work.ts"

/** Ownership, history, claims, pods, old history, status: in this order, as each counts on the one before it. */
export function decide(observed: Observed, { now }: Pick<DecideContext, "now">): Plan {
  const { set, ownership, pods } = observed
  const built = plan()
  const versions = versionsOf(observed)
  const wait = nextAvailability(pods, set, now)
  if (wait !== undefined) built.lookAgain(wait, "a ready pod becomes available then")
  if (set.metadata.deletionTimestamp !== undefined) return onlyCount(built, observed, now)
  for (const operation of ownership) built.operation(operation)
  if (ownership.length > 0) built.afterThat()
  keepHistory(built, observed)
  const work = workOf(situationOf(observed, now))
  apply(built, observed, work)
  built.afterThat()
  cleanUpHistory(built, observed, versions)
  if (leavesStatus(observed, work, now)) return built
  return reportStatus(built.regardless(), observed, statusOf(observed, versions, now))
}

/** What is being deleted makes nothing any more, no revision either: the names in the status stay as they are. */
function onlyCount(built: PlanBuilder, observed: Observed, now: number): Plan {
  const { currentRevision, updateRevision } = observed.set.status ?? {}
  return reportStatus(built, observed, { ...statusOf(observed, versionsOf(observed), now), currentRevision, updateRevision })
}

/** Places are filled before pods go, and pods go before others are replaced. */
function workOf(situation: Situation): Work {
  const filled = fill(situation)
  if (filled.waitFor !== undefined) return filled
  const scaled = scaleDown(situation)
  if (situation.ordered && scaled.waitFor !== undefined) return together([filled, scaled])
  return together([filled, scaled, rollOut(situation, leavingIn(filled))])
}

function leavingIn({ pods }: Work): ReadonlySet<Pod> {
  return new Set(pods.filter((operation) => operation.do === "delete").map(({ object }) => object as Pod))
}

/** Pods that come or go wake us at once: the status that is true then is the one to write, unless it is what remembers the revisions. */
function leavesStatus(observed: Observed, { pods }: Work, now: number): boolean {
  const moves = pods.some((operation) => operation.do !== "update")
  return moves && tellsSameRevisions(statusOf(observed, versionsOf(observed), now), observed.set)
}

function apply(built: PlanBuilder, { set }: Observed, { claims, pods, waitFor, events }: Work = noWork): void {
  const [made, gone] = [pods.filter((operation) => operation.do !== "delete"), pods.filter((operation) => operation.do === "delete")]
  built.slowly()
  for (const operation of claims) built.operation(operation)
  built.slowly()
  for (const operation of made) built.operation(operation)
  built.slowly()
  for (const operation of gone) built.operation(operation)
  for (const { reason, message } of events) built.event(set, "Warning", reason, message)
  if (waitFor !== undefined) built.waitFor(waitFor)
}
