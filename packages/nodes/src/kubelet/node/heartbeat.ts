import { formatMicroTime, parseTime } from "@pilothouse/api"
import type { Lease } from "@pilothouse/api/coordination/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import { leaseNamespace, type Observed } from "../observe.ts"

/** Milliseconds between renewals; the node counts as lost when none came for 50 s. */
export const renewEvery = 10_000

/** Keeps the node's Lease young. */
export function heartbeat(built: PlanBuilder, { node, lease }: Observed, now: number): void {
  if (lease === undefined) built.create(newLease(node, now), "the node has no Lease yet")
  else if (now - parseTime(lease.spec?.renewTime ?? "1970-01-01T00:00:00Z") >= renewEvery) {
    built.update({ ...lease, spec: { ...lease.spec, renewTime: formatMicroTime(now) } } as Lease, "the Lease is 10 s old")
  }
}

/** When the Lease has to be renewed next, if what is due now is done. */
export function renewalDue({ lease }: Observed, now: number): number {
  const renewed = parseTime(lease?.spec?.renewTime ?? "1970-01-01T00:00:00Z")
  return now - renewed >= renewEvery ? now + renewEvery : renewed + renewEvery
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
