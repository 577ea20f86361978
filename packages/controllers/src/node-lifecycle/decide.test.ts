import type { Node, Pod } from "@pilothouse/api/core/v1"
import { describeOperation, type Plan, type Result } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { decide, settle } from "./decide.ts"
import { type HeartbeatSources, updatedHeartbeat } from "./heartbeats.ts"
import { Memory, rememberIn } from "./memory.ts"
import { defaultOptions } from "./options.ts"
import { lease, minutes, node, pod, start, taint } from "./testing/nodes.ts"

interface Look extends Partial<HeartbeatSources> {
  readonly at: number
  readonly pods?: readonly Pod[]
}

/** The plans of several looks at a node, one after the other, with one memory; what they remember is left out. */
function looks(...all: readonly Look[]): readonly Plan[] {
  const memory = new Memory()
  return all.map(({ at, pods = [], node: seen = node(), ...signs }) => {
    const { heartbeats } = memory
    const remembered = { known: heartbeats.of(seen.metadata.name ?? ""), allSeenAt: heartbeats.allSeenAt }
    const { steps, events, requeue, waitingFor, summary } = decide(
      { concern: "node", node: seen, pods, ...signs, ...remembered },
      at,
      defaultOptions,
    )
    return { steps: remember(memory, steps), events, requeue, waitingFor, summary }
  })
}

/** Does it, and gives the other steps. */
function remember(memory: Memory, steps: Plan["steps"]): Plan["steps"] {
  const own = rememberIn(memory)
  return steps.filter(({ operations }) => {
    const found = operations.map((operation) => own.find(({ do: kind }) => kind === operation.do))
    for (const [at, executor] of found.entries()) void executor?.execute(operations[at] as never, new AbortController().signal)
    return found.includes(undefined)
  })
}

function described(plan: Plan | undefined): readonly string[] {
  return plan?.steps.flatMap((step) => step.operations).map(describeOperation) ?? []
}

const lost = ["write the status of Node a"]
const none: readonly string[] = []
/** The server was asked for the Lease and had no newer one. */
const asked = { live: {} }

describe("UpdateStatus, and UpdateNodeAndPodStatusWithLease", () => {
  test.each<[name: string, looks: readonly Look[], expected: readonly string[]]>([
    ["Node created recently, without status. Node lease is missing.", [{ at: start, ...asked }], none],
    ["still within the startup grace period", [{ at: start + 59_999, ...asked }], none],
    ["Node created recently, without status. Node lease is renewed recently.", [{ at: start, lease: lease(start), ...asked }], none],
    ["Node created long time ago, without status. Node lease is missing.", [{ at: minutes(60), ...asked }], lost],
    [
      "Node created long time ago, without status. Node lease is renewed recently.",
      [
        { at: start, lease: lease(start) },
        { at: minutes(60), lease: lease(minutes(60)), ...asked },
      ],
      none,
    ],
    [
      "Node created long time ago, without status. Node lease is expired.",
      [
        { at: start, lease: lease(start) },
        { at: minutes(60), lease: lease(start), ...asked },
      ],
      lost,
    ],
    [
      "status updated by kubelet exceeds grace period. Node lease is renewed.",
      [
        { at: start, node: node({ ready: "True" }), lease: lease(start) },
        { at: minutes(60), node: node({ ready: "True" }), lease: lease(minutes(60)), ...asked },
      ],
      none,
    ],
    [
      "status updated by kubelet recently. Node lease is expired.",
      [
        { at: start, node: node({ ready: "True" }), lease: lease(start) },
        { at: minutes(60), node: node({ ready: "True", received: minutes(60) }), lease: lease(start), ...asked },
      ],
      none,
    ],
    [
      "status updated by kubelet exceeds grace period. Node lease is also expired.",
      [
        { at: start, node: node({ ready: "True" }), lease: lease(start) },
        { at: minutes(60), node: node({ ready: "True" }), lease: lease(start), ...asked },
      ],
      lost,
    ],
    [
      "Node lease is expired in cache, but fresh in API server",
      [
        { at: start, node: node({ ready: "True" }), lease: lease(start) },
        { at: minutes(60), node: node({ ready: "True" }), lease: lease(start), live: { lease: lease(minutes(60)) } },
      ],
      none,
    ],
    [
      "a node that is not ready and silent becomes Unknown too",
      [
        { at: start, node: node({ ready: "False" }) },
        { at: minutes(60), node: node({ ready: "False" }), ...asked },
      ],
      lost,
    ],
  ])("%s", (_name, all, expected) => {
    expect(described(looks(...all).at(-1)).filter((line) => line.includes("status"))).toEqual(expected)
  })

  test("reads the Lease from the API server before a node counts as lost", () => {
    const [, second] = looks({ at: start, node: node({ ready: "True" }) }, { at: minutes(1), node: node({ ready: "True" }) })
    expect(second).toMatchObject({
      steps: [],
      requeue: { after: 0, reason: expect.stringContaining("API server is asked for its Lease") },
    })
  })
})

describe("TryUpdateNodeHealth", () => {
  test.each<[name: string, ready: "True" | "False" | "Unknown" | undefined, seconds: number, expected: boolean]>([
    ["Status true", "True", 30, false],
    ["Status false", "False", 30, false],
    ["Status unknown", "Unknown", 30, false],
    ["Status nil", undefined, 55, false],
    ["Status true - after grace period", "True", 50, true],
    ["Status false - after grace period", "False", 50, true],
    ["Status unknown - after grace period: the pressures follow", "Unknown", 50, true],
    ["Status nil - after grace period", undefined, 60, true],
  ])("%s", (_name, ready, seconds, expected) => {
    const seen = node({ ready })
    const [, second] = looks({ at: start, node: seen }, { at: start + seconds * 1000, node: seen, ...asked })
    expect(second?.steps.flatMap((step) => step.operations).some((operation) => operation.do === "status")).toBe(expected)
  })

  test("what it writes: those that spoke stopped, those that never did never did", () => {
    const conditions = [
      { type: "DiskPressure", status: "False" as const },
      { type: "NetworkUnavailable", status: "False" as const },
    ]
    const seen = node({ ready: "True", conditions })
    const [, plan] = looks({ at: start, node: seen }, { at: minutes(1), node: seen, ...asked })
    const stopped = {
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
      lastTransitionTime: "2026-01-05T08:56:00Z",
    }
    const never = {
      status: "Unknown",
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status.",
      lastHeartbeatTime: "2026-01-05T08:55:00Z",
    }
    expect(plan?.steps[0]?.operations).toMatchObject([
      {
        do: "status",
        reason: "it had no heartbeat for 60 s",
        status: {
          conditions: [
            { type: "Ready", ...stopped, lastHeartbeatTime: "2026-01-05T08:55:00Z" },
            { type: "DiskPressure", ...stopped },
            { type: "NetworkUnavailable", status: "False" },
            { type: "MemoryPressure", ...never },
            { type: "PIDPressure", ...never },
          ],
        },
      },
    ])
    expect(plan?.events).toMatchObject([{ type: "Normal", reason: "NodeNotReady", message: "Node a status is now: NodeNotReady" }])
  })

  test("one that says all of it already is not written again", () => {
    const conditions = ["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({ type, status: "Unknown" as const }))
    const seen = node({ ready: "Unknown", conditions, taints: [taint("unreachable")] })
    const [, plan] = looks({ at: start, node: seen }, { at: minutes(60), node: seen, ...asked })
    expect(plan).toMatchObject({ steps: [], requeue: undefined })
  })

  test("a node of the same name with another UID starts a new grace period", () => {
    const [, plan] = looks(
      { at: start, node: node({ ready: "True" }) },
      { at: minutes(1), node: node({ ready: "True", uid: "other" }), ...asked },
    )
    expect(plan).toMatchObject({ steps: [], events: [{ reason: "RegisteredNode" }] })
  })
})

describe("TaintsNodeByCondition", () => {
  const network = { type: "NetworkUnavailable", status: "True" as const }
  test.each<[name: string, node: Node, expected: readonly string[] | undefined]>([
    ["a ready node has none", node({ ready: "True" }), undefined],
    ["Add NetworkUnavailable taint", node({ ready: "True", conditions: [network] }), ["network-unavailable"]],
    [
      "every pressure has its own",
      node({ ready: "True", conditions: ["Memory", "Disk", "PID"].map((kind) => ({ type: `${kind}Pressure`, status: "True" as const })) }),
      ["memory-pressure", "disk-pressure", "pid-pressure"],
    ],
    ["Add NotReady taint", node({ ready: "False" }), ["not-ready"]],
    ["Add Unreachable taint", node({ ready: "Unknown" }), ["unreachable"]],
    ["unschedulable", node({ ready: "True", unschedulable: true }), ["unschedulable"]],
    ["what is over goes", node({ ready: "True", taints: [taint("not-ready"), taint("memory-pressure")] }), []],
    ["others' taints stay", node({ ready: "True", taints: [taint("example.com/mine"), taint("not-ready")] }), ["example.com/mine"]],
    ["not-ready gives way to unreachable", node({ ready: "Unknown", taints: [taint("not-ready")] }), ["unreachable"]],
  ])("%s", (_name, seen, expected) => {
    const [operation] = looks({ at: start, node: seen })[0]?.steps[0]?.operations ?? []
    const taints = operation?.do === "patch" ? (operation.patch as { spec: { taints: { key: string }[] } }).spec.taints : undefined
    expect(taints?.map(({ key }) => key.replace("node.kubernetes.io/", ""))).toEqual(expected)
  })
})

describe("SwapUnreachableNotReadyTaints", () => {
  test.each<[name: string, ready: "True" | "False" | "Unknown", before: string, after: readonly string[]]>([
    ["from unreachable to not ready, at once", "False", "unreachable", ["not-ready NoSchedule", "not-ready NoExecute"]],
    ["from not ready to unreachable, at once", "Unknown", "not-ready", ["unreachable NoSchedule", "unreachable NoExecute"]],
    ["back to ready: both go", "True", "unreachable", []],
  ])("%s", (_name, ready, before, after) => {
    const seen = node({ ready, taints: [taint(before), taint(before, "NoExecute")] })
    const [operation] = looks({ at: start, node: seen })[0]?.steps[0]?.operations ?? []
    expect(operation).toMatchObject({
      patch: {
        metadata: { resourceVersion: "5" },
        spec: { taints: after.map((text) => ({ key: `node.kubernetes.io/${text.split(" ")[0]}`, effect: text.split(" ")[1] })) },
      },
    })
  })

  test("a node that is not tainted so waits for its zone", () => {
    const seen = node({ ready: "False", taints: [taint("not-ready")] })
    expect(described(looks({ at: start, node: seen })[0])).toEqual([])
  })
})

describe("ReconcileNodeLabels", () => {
  const [os, arch] = ["kubernetes.io/os", "kubernetes.io/arch"]
  test.each<[name: string, labels: Record<string, string> | undefined, expected: Record<string, string> | undefined]>([
    ["No labels", undefined, undefined],
    ["the older ones are missing", { [os]: "linux", [arch]: "arm64" }, { [`beta.${os}`]: "linux", [`beta.${arch}`]: "arm64" }],
    ["one says something else: the stable one is right", { [os]: "linux", [`beta.${os}`]: "windows" }, { [`beta.${os}`]: "linux" }],
    ["both say the same", { [os]: "linux", [`beta.${os}`]: "linux" }, undefined],
    ["only the older one is there", { [`beta.${os}`]: "linux" }, undefined],
  ])("%s", (_name, labels, expected) => {
    const [operation] = looks({ at: start, node: node({ ready: "True", labels }) })[0]?.steps[0]?.operations ?? []
    const found = operation?.do === "patch" ? (operation.patch as { metadata: { labels?: unknown }; spec?: unknown }) : undefined
    expect(found?.metadata.labels).toEqual(expected)
    expect(found?.spec).toBeUndefined()
  })
})

describe("MarkPodsNotReady", () => {
  const unheard = node({ ready: "Unknown", since: minutes(10), taints: [taint("unreachable")] })
  test.each<[name: string, node: Node, pods: readonly Pod[], expected: readonly string[]]>([
    ["ready when the node fell silent", unheard, [pod("x", "True", minutes(1)), pod("y", "True", minutes(10))], ["x", "y"]],
    ["not ready anyway, or never said so", unheard, [pod("x", "False"), pod("y", undefined)], []],
    ["ready since: its kubelet is alive", unheard, [pod("x", "True", minutes(11))], []],
    [
      "its kubelet says that the node is not ready: it speaks for its pods too",
      node({ ready: "False", taints: [taint("not-ready")] }),
      [pod("x", "True")],
      [],
    ],
    ["a ready node", node({ ready: "True" }), [pod("x", "True")], []],
  ])("%s", (_name, on, pods, expected) => {
    const [plan] = looks({ at: minutes(10), node: on, pods })
    expect(described(plan)).toEqual(expected.map((name) => `patch Pod default/${name} (its status)`))
    expect(plan?.events.filter((event) => event.reason === "NodeNotReady").map((event) => event.message)).toEqual(
      expected.map(() => "Node is not ready"),
    )
  })

  test.each<[name: string, on: Node, ready: "True" | "False", expected: readonly string[]]>([
    [
      "ProcessPodMarkPodNotReady: a pod newly given to a node that is not ready",
      node({ ready: "False" }),
      "True",
      ["patch Pod default/x (its status)"],
    ],
    ["to one without heartbeats", node({ ready: "Unknown" }), "True", ["patch Pod default/x (its status)"]],
    ["to a ready one", node({ ready: "True" }), "True", []],
    ["to one that has never spoken", node(), "True", []],
    ["a pod that is not ready", node({ ready: "False" }), "False", []],
  ])("%s", (_name, on, ready, expected) => {
    expect(described(decide({ concern: "pod", node: on, pod: pod("x", ready, minutes(30)) }, start, defaultOptions))).toEqual(expected)
  })

  test("the taints of a node and its pods are written at once: a patch of the node that hangs or fails holds up no pod", () => {
    const untainted = node({ ready: "Unknown", since: minutes(10) })
    const [plan] = looks({ at: minutes(10), node: untainted, pods: [pod("x", "True"), pod("y", "True")] })
    expect(plan?.steps.map(({ operations }) => operations.map(describeOperation))).toEqual([
      ["patch Node a", "patch Pod default/x (its status)", "patch Pod default/y (its status)"],
    ])
  })

  test("what is written keeps the rest of the status", () => {
    const [plan] = looks({ at: minutes(10), node: unheard, pods: [pod("x", "True")] })
    expect(plan?.steps.at(-1)?.operations).toMatchObject([
      {
        type: "strategic",
        tolerate: ["NotFound"],
        patch: {
          metadata: { uid: "u-x" },
          status: { conditions: [{ type: "Ready", status: "False", lastTransitionTime: "2026-01-05T09:05:00Z" }] },
        },
      },
    ])
  })
})

test("NodeEventGeneration: a node that comes and a node that goes", () => {
  expect(looks({ at: start, node: node({ ready: "True" }) })[0]?.events).toMatchObject([
    {
      type: "Normal",
      reason: "RegisteredNode",
      message: "Node a event: Registered Node a in Controller",
      about: { metadata: { uid: "u-a" } },
    },
  ])
  const known = updatedHeartbeat({ node: node({ ready: "True" }) }, start)
  const gone = decide({ concern: "gone", name: "a", known }, start, defaultOptions)
  expect(gone.steps[0]?.operations).toMatchObject([{ do: "remember-heartbeat", node: "a", reason: "the node is gone" }])
  expect(gone.events).toMatchObject([{ type: "Normal", reason: "RemovingNode", message: "Node a event: Removing Node a from Controller" }])
})

describe("what is remembered is part of the plan", () => {
  const seen = node({ ready: "True" })
  const known = updatedHeartbeat({ node: seen }, start)
  const kinds = (plan: Plan) => plan.steps.flatMap(({ operations }) => operations).map((operation) => operation.do)
  test("deciding noted heartbeats itself: decided twice, it is the same plan twice", () => {
    const observed = { concern: "node", node: seen, pods: [] } as const
    const [first, second] = [decide(observed, start, defaultOptions), decide(observed, start, defaultOptions)]
    expect(first).toEqual(second)
    expect(first.steps[0]?.operations).toMatchObject([{ do: "remember-heartbeat", to: "the node a", known: { last: start } }])
  })

  test("a reconcile without a new heartbeat remembers nothing", () => {
    expect(kinds(decide({ concern: "node", node: seen, pods: [], known }, start + 1000, defaultOptions))).toEqual([])
  })

  test("that the Lease is confirmed, and again after a failed status write", () => {
    const observed = { concern: "node", node: seen, pods: [], known } as const
    const asking = decide(observed, minutes(1), defaultOptions)
    expect(asking.steps[0]?.operations).toMatchObject([{ do: "remember-heartbeat", known: { confirmsLease: true } }])
    const lostNow = { ...observed, known: { ...known, confirmsLease: true }, live: {} }
    const operations = decide(lostNow, minutes(1), defaultOptions).steps.flatMap((step) => step.operations)
    expect(operations.map((operation) => operation.do)).toEqual(["remember-heartbeat", "status"])
    const settled = (ok: boolean) =>
      kinds(
        settle(
          lostNow,
          operations.map((operation) => (ok ? { operation, ok } : { operation, ok, error: "no" })) as readonly Result[],
          minutes(1),
        ),
      )
    expect([settled(true), settled(false)]).toEqual([[], ["remember-heartbeat"]])
  })

  test("the attempt of a zone, and that no node is ready or some are again", () => {
    const nodes = [node({ name: "b", ready: "True" }), node({ ready: "False", since: minutes(1) })]
    expect(kinds(decide({ concern: "zone", zone: "z", nodes, isCutOff: false }, minutes(9), defaultOptions))).toEqual([
      "remember-try",
      "patch",
    ])
    const cluster = (wasCutOff: boolean, isCutOff: boolean) =>
      kinds(decide({ concern: "cluster", isCutOff, wasCutOff, tainted: [] }, start, defaultOptions))
    expect([cluster(false, true), cluster(true, false), cluster(true, true)]).toEqual([["remember-cut-off"], ["remember-cut-off"], []])
  })
})

describe("while no node is ready", () => {
  const tainted = node({
    ready: "Unknown",
    taints: [taint("example.com/mine", "NoExecute"), taint("unreachable", "NoExecute"), taint("unreachable")],
  })
  test("those that pods had to leave get another chance", () => {
    const plan = decide({ concern: "cluster", isCutOff: true, wasCutOff: true, tainted: [tainted] }, start, defaultOptions)
    expect(plan.steps[0]?.operations).toMatchObject([
      { patch: { spec: { taints: [taint("example.com/mine", "NoExecute"), taint("unreachable")] } } },
    ])
  })

  test("otherwise they are left as they are", () => {
    expect(described(decide({ concern: "cluster", isCutOff: false, tainted: [tainted] }, start, defaultOptions))).toEqual([])
  })
})
