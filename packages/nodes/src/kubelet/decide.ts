import { type DecideContext, type Plan, plan, type Result } from "@pilothouse/runtime"
import { sweepOperation } from "../process/executors.ts"
import { earliest } from "./container/step-container.ts"
import { heartbeat, renewalDue } from "./node/heartbeat.ts"
import { nodeReport } from "./node/node-status.ts"
import type { GoneNode, Observed } from "./observe.ts"
import { podsCalledLost, sayReadyAgain } from "./pod/lost-pods.ts"
import { runPods, tellEvents } from "./pod/run-pods.ts"

export function decide(observed: Observed | GoneNode, { now }: Pick<DecideContext, "now">): Plan {
  if ("gone" in observed) return sweepOperation(plan(), observed.gone, [])
  const { node, pods } = observed
  const built = plan()
  heartbeat(built, observed, now)
  // A step of its own: the node lives, whatever becomes of its pods.
  built.nextStep({ onFailure: "continue" })
  const due = runPods(built, observed, now)
  const report = nodeReport(node, now)
  // Only a node that is known to be back says that its pods are: of one that counts as lost they would be called so again, for ever.
  if (report !== undefined) built.nextStep({ onFailure: "continue" }).status(node, report.status, report.reason).nextStep()
  sayReadyAgain(built, podsCalledLost(pods), now)
  if (built.steps.every(({ operations }) => operations.length === 0))
    built.nothing(`${pods.length} pods are looked after on ${node.metadata.name}`)
  const next = earliest([due, renewalDue(observed, now)]) ?? now
  return built.requeueAfter(Math.max(next - now, 1), next === due ? "something happens to a pod" : "the node's Lease has to be renewed")
}

/** Says what happened to whom. */
export function settle(_observed: Observed | GoneNode, results: readonly Result[]): Plan {
  return tellEvents(plan(), results)
}
