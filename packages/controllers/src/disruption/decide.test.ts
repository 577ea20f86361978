import type { Pod } from "@pilothouse/api/core/v1"
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "@pilothouse/api/policy/v1"
import type { Plan } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { clearStale } from "./controller.ts"
import { decide } from "./decide.ts"
import type { Observed } from "./observe.ts"
import { ago, budget, context, noOwner, now, pod } from "./testing/budgets.ts"

interface Row {
  readonly spec: PodDisruptionBudget["spec"]
  /** Ready pods, and then some that are not. */
  readonly ready?: number
  readonly unready?: number
  readonly unmanaged?: number
  readonly scales?: readonly number[]
  /** Allowed, healthy, desired, expected. */
  readonly expected: readonly [number, number, number, number]
}

function observed(of: PodDisruptionBudget, pods: readonly Pod[], scales: readonly number[] = [], facts: Partial<Observed> = {}): Observed {
  return { budget: of, pods, scales: scales.map((replicas, at) => ({ uid: `${at}`, replicas })), shared: [], ...facts }
}

function many(count: number, prefix: string, facts: Parameters<typeof pod>[1] = {}): readonly Pod[] {
  return Array.from({ length: count }, (_, at) => pod(`${prefix}${at}`, facts))
}

function statusIn(plan: Plan): PodDisruptionBudgetStatus | undefined {
  const written = plan.steps.flatMap((step) => step.operations).find((operation) => operation.do === "status")
  return written?.do === "status" ? (written.status as PodDisruptionBudgetStatus) : undefined
}

function eventsIn({ events }: Plan): readonly string[] {
  return events.map(({ about, type, reason, message }) => `${type} ${reason} on ${about.kind} ${about.metadata.name}: ${message}`)
}

const rows: Record<string, Row> = {
  "NoSelector, no pods: nothing is allowed": { spec: { minAvailable: 3 }, expected: [0, 0, 3, 0] },
  "Unavailable: pods that are not ready do not count": { spec: { minAvailable: 3 }, ready: 3, unready: 1, expected: [0, 3, 3, 4] },
  "one more than needed": { spec: { minAvailable: 3 }, ready: 4, expected: [1, 4, 3, 4] },
  "fewer than needed": { spec: { minAvailable: 3 }, ready: 1, expected: [0, 1, 3, 1] },
  "an integer minAvailable counts the existing pods, whatever owns them": {
    spec: { minAvailable: 1 },
    unmanaged: 3,
    expected: [2, 3, 1, 3],
  },
  IntegerMaxUnavailable: { spec: { maxUnavailable: 1 }, ready: 1, scales: [1], expected: [1, 1, 0, 1] },
  "IntegerMaxUnavailableWithScaling: the scale counts, not the pods": {
    spec: { maxUnavailable: 2 },
    ready: 1,
    scales: [7],
    expected: [0, 1, 5, 7],
  },
  "maxUnavailable beyond all": { spec: { maxUnavailable: 9 }, ready: 2, scales: [2], expected: [2, 2, 0, 2] },
  "maxUnavailable 0": { spec: { maxUnavailable: 0 }, ready: 2, scales: [2], expected: [0, 2, 2, 2] },
  "PercentageMaxUnavailableWithScaling: rounded up": { spec: { maxUnavailable: "40%" }, ready: 6, scales: [6], expected: [3, 6, 3, 6] },
  "ReplicaSet: a percentage of minAvailable is rounded up": {
    spec: { minAvailable: "15%" },
    ready: 8,
    scales: [8],
    expected: [6, 8, 2, 8],
  },
  "minAvailable 100%": { spec: { minAvailable: "100%" }, ready: 3, scales: [3], expected: [0, 3, 3, 3] },
  "MultipleControllers, TwoControllers: their scales are added up": {
    spec: { minAvailable: "35%" },
    ready: 9,
    scales: [9, 9],
    expected: [2, 9, 7, 18],
  },
  "a scale of zero allows nothing, however many pods are left": {
    spec: { maxUnavailable: 1 },
    ready: 2,
    scales: [0],
    expected: [0, 2, 0, 0],
  },
  "StatusForUnmanagedPod: unmanaged pods are not expected": { spec: { minAvailable: "40%" }, unmanaged: 1, expected: [0, 1, 0, 0] },
  "TotalUnmanagedPods: but are healthy": { spec: { minAvailable: "40%" }, ready: 4, unmanaged: 1, scales: [4], expected: [3, 5, 2, 4] },
  "neither minAvailable nor maxUnavailable": { spec: {}, ready: 2, expected: [0, 2, 0, 0] },
}

describe("counts", () => {
  test.each(Object.entries(rows))("%s", (_, { spec, ready = 0, unready = 0, unmanaged = 0, scales, expected }) => {
    const pods = [...many(ready, "r"), ...many(unready, "u", { ready: false }), ...many(unmanaged, "n", { owner: noOwner })]
    const status = statusIn(decide(observed(budget(spec), pods, scales), context))
    const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods, observedGeneration } = status ?? {}
    expect([disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods]).toEqual(expected)
    expect(observedGeneration).toBe(2)
  })

  test("pods on their way out are not healthy", () => {
    const pods = [pod("a"), pod("b", { deleted: true })]
    expect(statusIn(decide(observed(budget({ minAvailable: 1 }), pods), context))).toMatchObject({ currentHealthy: 1, expectedPods: 2 })
  })
})

describe("the condition", () => {
  const kept = { type: "Mine", status: "True" as const, reason: "R", message: "m", lastTransitionTime: ago(9) }

  test("SufficientPods; KeepExistingPDBConditionDuringSync: those of others stay", () => {
    const plan = decide(observed(budget({ minAvailable: 1 }, { conditions: [kept] }), many(2, "r")), context)
    expect(statusIn(plan)?.conditions).toEqual([
      kept,
      {
        type: "DisruptionAllowed",
        status: "True",
        reason: "SufficientPods",
        message: "",
        observedGeneration: 2,
        lastTransitionTime: ago(0),
      },
    ])
  })

  test("InsufficientPods", () => {
    expect(statusIn(decide(observed(budget({ minAvailable: 1 }), many(1, "r")), context))?.conditions).toMatchObject([
      { status: "False", reason: "InsufficientPods" },
    ])
  })

  test("the same again is not written, and says nothing", () => {
    const first = statusIn(decide(observed(budget({ minAvailable: "50%" }), many(1, "n", { owner: noOwner })), context))
    const again = decide(observed(budget({ minAvailable: "50%" }, first), many(1, "n", { owner: noOwner })), {
      ...context,
      now: now + 60_000,
    })
    expect([again.steps, again.events]).toEqual([[], []])
  })
})

describe("UpdateDisruptedPods", () => {
  const disrupted = { gone: ago(5), going: ago(5), late: ago(121), soon: ago(60) }
  const pods = [pod("going", { deleted: true }), pod("late"), pod("soon"), pod("other")]
  const plan = decide(observed(budget({ minAvailable: 1 }, { disruptedPods: disrupted }), pods), context)

  test("those that are gone, going or late are taken off the list; one that may still go is not healthy", () => {
    expect(statusIn(plan)).toMatchObject({ disruptedPods: { soon: ago(60) }, currentHealthy: 2 })
  })

  test("one that was not deleted is reported", () => {
    expect(eventsIn(plan)).toEqual(["Warning NotDeleted on Pod late: Pod was expected by PDB default/web to be deleted but it wasn't"])
  })

  test("requeues for when the next one is late", () => {
    expect(plan.requeue?.after).toBe(60_001)
  })

  test("without any there is no requeue, and no list", () => {
    const calm = decide(observed(budget({ minAvailable: 1 }), pods), context)
    expect(calm.requeue).toBeUndefined()
    expect(statusIn(calm)).not.toHaveProperty("disruptedPods")
  })
})

describe("events", () => {
  test("NoPods", () => {
    expect(eventsIn(decide(observed(budget({ minAvailable: 1 }), []), context))).toEqual([
      "Normal NoPods on PodDisruptionBudget web: No matching pods found",
    ])
  })

  test("NakedPod: UnmanagedPods, with what to do", () => {
    const [event] = eventsIn(decide(observed(budget({ maxUnavailable: 1 }), many(1, "n", { owner: noOwner })), context))
    expect(event).toBe(
      "Warning UnmanagedPods on PodDisruptionBudget web: Pods selected by this PodDisruptionBudget (selector: " +
        "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. " +
        "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. " +
        'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    )
  })

  test("a pod with two budgets", () => {
    const both = pod("both")
    expect(eventsIn(decide(observed(budget({ minAvailable: 1 }), [both], [], { shared: [both] }), context))).toEqual([
      'Warning MultiplePodDisruptionBudgets on Pod both: Pod "default"/"both" matches multiple PodDisruptionBudgets.  Chose "web" arbitrarily.',
    ])
  })
})

describe("failures allow nothing", () => {
  const before = { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3, observedGeneration: 1 }

  test("what cannot be counted: SyncFailed, the rest as it was, and another try after a minute", () => {
    const failure = { reason: "CalculateExpectedPodCountFailed", message: "Failed: no", error: "no" }
    const plan = decide(observed(budget({ maxUnavailable: 1 }, before), [], [], { failure }), context)
    expect(statusIn(plan)).toMatchObject({
      ...before,
      disruptionsAllowed: 0,
      conditions: [{ type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message: "no", observedGeneration: 1 }],
    })
    expect(eventsIn(plan)).toEqual(["Warning CalculateExpectedPodCountFailed on PodDisruptionBudget web: Failed: no"])
    const again = decide(observed(budget({ maxUnavailable: 1 }, statusIn(plan)), [], [], { failure }), context)
    expect([again.steps, again.events, again.requeue?.after]).toEqual([[], [], "1m"])
  })

  test("a text that is no percentage", () => {
    const plan = decide(observed(budget({ minAvailable: "many" }, before), many(1, "r"), [1]), context)
    expect(statusIn(plan)).toMatchObject({ disruptionsAllowed: 0, conditions: [{ reason: "SyncFailed" }] })
    expect(eventsIn(plan)[0]).toMatch("Failed to calculate the number of expected pods: invalid value for IntOrString: ")
  })
})

describe("StalePodDisruption", () => {
  const mark = (seconds: number, facts: object = {}) => ({
    type: "DisruptionTarget",
    status: "True" as const,
    reason: "EvictionByEvictionAPI",
    message: "m",
    lastTransitionTime: ago(seconds),
    ...facts,
  })

  test("stale pod disruption: the mark becomes False, the rest stays", () => {
    const plan = clearStale(pod("a", { conditions: [mark(120)] }), context)
    const [operation] = plan.steps.flatMap((step) => step.operations)
    expect(operation).toMatchObject({ do: "status", object: { metadata: { name: "a" } } })
    expect(operation?.do === "status" && operation.status).toEqual({
      phase: "Running",
      conditions: [
        { type: "Ready", status: "True" },
        { type: "DisruptionTarget", status: "False", observedGeneration: 1, lastTransitionTime: ago(0) },
      ],
    })
  })

  test("pod disruption in progress: waits for the rest of two minutes", () => {
    const plan = clearStale(pod("a", { conditions: [mark(50)] }), context)
    expect([plan.steps, plan.requeue?.after]).toEqual([[], 70_000])
  })

  const calm: Record<string, Pod> = {
    "pod disruption actuated": pod("a", { conditions: [mark(300)], deleted: true }),
    "no pod disruption": pod("a"),
    "pod disruption cleared": pod("a", { conditions: [mark(300, { status: "False" })] }),
    "the kubelet's own mark": pod("a", { conditions: [mark(300, { reason: "TerminationByKubelet" })] }),
    "a pod that has ended": pod("a", { conditions: [mark(300)], phase: "Failed" }),
  }
  test.each(Object.entries(calm))("%s", (_, marked) => {
    const plan = clearStale(marked, context)
    expect([plan.steps, plan.requeue]).toEqual([[], undefined])
  })
})
