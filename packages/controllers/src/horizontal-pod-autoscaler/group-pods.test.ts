import { expect, test } from "vitest"
import { groupPods, type PodGroups } from "./replica-calculator.ts"
import type { PodSamples } from "./samples.ts"
import { now, type PodFacts, podsOf, readiness, sample } from "./testing/pods.ts"

interface Row {
  readonly resource?: string
  readonly pods: readonly PodFacts[]
  readonly samples?: PodSamples
  readonly expected: Partial<PodGroups>
}

const fresh = new Map([["p0", sample(1)]])
const old = new Map([["p0", sample(1, { ago: 55, window: 30 })]])

const rows: Record<string, Row> = {
  void: { pods: [], expected: {} },
  "count in a ready pod - memory": { resource: "memory", pods: [{}], expected: { ready: 1 } },
  "an unready pod counts too - memory": { resource: "memory", pods: [{ ready: false }], expected: { ready: 1 } },
  "unready a pod without ready condition - CPU": { pods: [{ noCondition: true }], expected: { unready: ["p0"] } },
  "count in a ready pod with fresh metrics during initialization period - CPU": {
    pods: [{ started: 60, changed: 40 }],
    samples: new Map([["p0", sample(1, { ago: 5, window: 30 })]]),
    expected: { ready: 1 },
  },
  "unready a ready pod without fresh metrics during initialization period - CPU": {
    pods: [{ started: 60, changed: 40 }],
    samples: new Map([["p0", sample(1, { ago: 15, window: 30 })]]),
    expected: { unready: ["p0"] },
  },
  "unready an unready pod during initialization period - CPU": {
    pods: [{ started: 100, changed: 60, ready: false }],
    expected: { unready: ["p0"] },
  },
  "count in a ready pod without fresh metrics after initialization period - CPU": {
    pods: [{ started: 180, changed: 60 }],
    samples: old,
    expected: { ready: 1 },
  },
  "count in an unready pod that was ready after initialization period - CPU": {
    pods: [{ started: 600, changed: 180, ready: false }],
    expected: { ready: 1 },
  },
  "unready pod that has never been ready after initialization period - CPU": {
    pods: [{ started: 600, changed: 595, ready: false }],
    expected: { unready: ["p0"] },
  },
  "a missing pod": { pods: [{}], samples: new Map(), expected: { missing: ["p0"] } },
  "several pods": {
    pods: [{}, { started: 600, changed: 598, ready: false }, {}],
    samples: new Map([
      ["p0", sample(1)],
      ["p1", sample(1)],
    ]),
    expected: { ready: 1, unready: ["p1"], missing: ["p2"] },
  },
  "pending pods are unreadied": { pods: [{ phase: "Pending" }], expected: { unready: ["p0"] } },
  "ignore pods with deletion timestamps": { pods: [{ phase: "Pending", deleted: true }], expected: { ignored: ["p0"] } },
  "ignore pods in a failed state": { pods: [{ phase: "Failed" }], expected: { ignored: ["p0"] } },
}

test.each(Object.entries(rows))("%s", (_, { resource = "cpu", pods, samples = fresh, expected }) => {
  const groups = groupPods(podsOf(...pods), samples, { resource, now, ...readiness })
  expect(groups).toEqual({ ready: 0, unready: [], missing: [], ignored: [], ...expected })
})
