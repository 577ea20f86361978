import { formatMicroTime, parseTime } from "@pilothouse/api"
import type { Lease } from "@pilothouse/api/coordination/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { sweepOperation } from "../process/executors.ts"
import { earliest } from "./container/step-container.ts"
import { nodeReport } from "./node/node-status.ts"
import { type GoneNode, leaseNamespace, type Observed } from "./observe.ts"
import { podsCalledLost, sayReadyAgain } from "./pod/lost-pods.ts"
import { recordEvents, runPods } from "./run-pods.ts"

/** Renews the node's Lease, steps its pods to where they should be by now, and reports the node's status. */
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
  return recordEvents(plan(), results)
}

/** Milliseconds between renewals; the node counts as lost when none came for 50 s. */
export const renewInterval = 10_000

/** Keeps the node's Lease young. */
export function heartbeat(built: PlanBuilder, { node, lease }: Observed, now: number): void {
  if (lease === undefined) built.create(newLease(node, now), "the node has no Lease yet")
  else if (now - parseTime(lease.spec?.renewTime ?? "1970-01-01T00:00:00Z") >= renewInterval) {
    built.update({ ...lease, spec: { ...lease.spec, renewTime: formatMicroTime(now) } } as Lease, "the Lease is 10 s old")
  }
}

/** When the Lease has to be renewed next, if what is due now is done. */
export function renewalDue({ lease }: Observed, now: number): number {
  const renewed = parseTime(lease?.spec?.renewTime ?? "1970-01-01T00:00:00Z")
  return now - renewed >= renewInterval ? now + renewInterval : renewed + renewInterval
}

function newLease({ metadata }: Observed["node"], now: number): Lease {
  const { name = "", uid = "" } = metadata
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: leaseNamespace, ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }] },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(now) },
  }
}
