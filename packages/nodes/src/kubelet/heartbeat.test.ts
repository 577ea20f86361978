import type { Lease } from "@pilothouse/api/coordination/v1"
import type { Node } from "@pilothouse/api/core/v1"
import type { Operation } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { decide } from "./decide.ts"
import { simulatedNode } from "./node/simulated-node.ts"
import { nine } from "./testing/pods.ts"

const made = simulatedNode(1)
const node: Node = { ...made, metadata: { ...made.metadata, uid: "node-uid" } }

function leaseIn(lease: Lease | undefined, now: number): Lease | undefined {
  const { steps } = decide({ node, pods: [], lease }, { now })
  const found = steps
    .flatMap(({ operations }) => operations)
    .find((one) => (one as Operation & { object?: { kind?: string } }).object?.kind === "Lease")
  return (found as { readonly object?: Lease } | undefined)?.object
}

test("a kubelet that starts has a Lease, which goes with its node", () => {
  expect(leaseIn(undefined, nine)).toEqual({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: "node-1",
      namespace: "kube-node-lease",
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "node-1", uid: "node-uid" }],
    },
    spec: { holderIdentity: "node-1", leaseDurationSeconds: 40, renewTime: "2026-01-05T09:00:00.000000Z" },
  })
})

test.each([
  ["before ten seconds are over it is left alone", 9999, undefined],
  ["then it is renewed, and is the same otherwise", 10_000, "2026-01-05T09:00:10.000000Z"],
])("%s", (_name, after, renewTime) => {
  const lease = leaseIn(undefined, nine)!
  const renewed = leaseIn(lease, nine + after)
  expect(renewed).toEqual(renewTime === undefined ? undefined : { ...lease, spec: { ...lease.spec, renewTime } })
})

test("the node is requeued in time for the next renewal", () => {
  const lease = leaseIn(undefined, nine)
  expect(decide({ node, pods: [], lease }, { now: nine + 4000 }).requeue?.after).toBe(6000)
})
