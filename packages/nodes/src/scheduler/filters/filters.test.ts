import type { Pod, PodSpec } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { type Situation, testNode, testPod, verdicts } from "../testing/objects.ts"

type Row = readonly [what: string, pod: Pod, situation: Situation, verdicts: Record<string, string>]

const one = [testNode("a")]

function pod(spec: Partial<PodSpec>): Pod {
  return testPod("p", { spec })
}

describe("nodes that accept no pod", () => {
  const cordoned = [testNode("a", { spec: { unschedulable: true } })]
  const tainted = (effect: "NoSchedule" | "NoExecute" | "PreferNoSchedule") => [
    testNode("a", { spec: { taints: [{ key: "k", value: "v", effect }] } }),
  ]
  const refused = { a: "node(s) had untolerated taint(s)" }
  const rows: readonly Row[] = [
    ["a cordoned node", testPod("p"), { nodes: cordoned }, { a: "node(s) were unschedulable" }],
    [
      "a cordoned node, tolerated as daemons do",
      pod({ tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] }),
      { nodes: cordoned },
      { a: "fits" },
    ],
    ["a taint NoSchedule", testPod("p"), { nodes: tainted("NoSchedule") }, refused],
    ["a taint NoExecute", testPod("p"), { nodes: tainted("NoExecute") }, refused],
    ["a taint PreferNoSchedule", testPod("p"), { nodes: tainted("PreferNoSchedule") }, { a: "fits" }],
    ["a taint that is tolerated", pod({ tolerations: [{ key: "k", value: "v" }] }), { nodes: tainted("NoSchedule") }, { a: "fits" }],
    [
      "a taint of another value than is tolerated",
      pod({ tolerations: [{ key: "k", value: "w" }] }),
      { nodes: tainted("NoSchedule") },
      refused,
    ],
    [
      "a cordoned node with a taint: the first that refuses speaks",
      testPod("p"),
      { nodes: [testNode("a", { spec: { unschedulable: true, taints: [{ key: "k", effect: "NoSchedule" }] } })] },
      { a: "node(s) were unschedulable" },
    ],
    ["a taint before what the pod wants itself", pod({ nodeSelector: { disk: "ssd" } }), { nodes: tainted("NoSchedule") }, refused],
  ]
  test.each(rows)("%s", (_what, subject, situation, expected) => expect(verdicts(subject, situation)).toEqual(expected))
})

describe("node selector and affinity", () => {
  const nodes = [testNode("a", { labels: { disk: "ssd", size: "5" } }), testNode("b", { labels: { disk: "hdd", size: "2" } })]
  const words = "node(s) didn't match Pod's node affinity/selector"
  const required = (...nodeSelectorTerms: readonly object[]) =>
    pod({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } } as Partial<PodSpec>)
  const expression = (operator: string, values?: readonly string[], key = "disk") => ({ matchExpressions: [{ key, operator, values }] })
  const rows: readonly (readonly [string, Pod, Record<string, string>])[] = [
    ["nodeSelector", pod({ nodeSelector: { disk: "ssd" } }), { a: "fits", b: words }],
    ["In", required(expression("In", ["ssd", "nvme"])), { a: "fits", b: words }],
    ["NotIn", required(expression("NotIn", ["ssd"])), { a: words, b: "fits" }],
    ["DoesNotExist", required(expression("DoesNotExist")), { a: words, b: words }],
    ["Gt", required(expression("Gt", ["3"], "size")), { a: "fits", b: words }],
    ["any of two terms", required(expression("In", ["ssd"]), expression("In", ["hdd"])), { a: "fits", b: "fits" }],
    ["a field", required({ matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] }), { a: words, b: "fits" }],
    ["a term that cannot be read matches nothing", required(expression("Nonsense", ["ssd"])), { a: words, b: words }],
    ["no terms match nothing", required(), { a: words, b: words }],
  ]
  test.each(rows)("%s", (_what, subject, expected) => expect(verdicts(subject, { nodes })).toEqual(expected))
})

describe("resources", () => {
  const busy = (requests: Record<string, string>) => [testPod("q", { on: "a", requests })]
  const init = (restartPolicy?: "Always") => ({
    initContainers: [{ name: "i", image: "i", restartPolicy, resources: { requests: { cpu: "3" } } }],
  })
  const rows: readonly Row[] = [
    [
      "exactly what is left",
      testPod("p", { requests: { cpu: "3", memory: "6Gi" } }),
      { nodes: one, pods: busy({ cpu: "1", memory: "2Gi" }) },
      { a: "fits" },
    ],
    [
      "more cpu than is left",
      testPod("p", { requests: { cpu: "3001m" } }),
      { nodes: one, pods: busy({ cpu: "1" }) },
      { a: "Insufficient cpu" },
    ],
    [
      "more cpu and memory than is left",
      testPod("p", { requests: { cpu: "4", memory: "8Gi" } }),
      { nodes: one, pods: busy({ cpu: "1", memory: "1" }) },
      { a: "Insufficient cpu; Insufficient memory" },
    ],
    [
      "ephemeral storage that the node has none of",
      testPod("p", { requests: { "ephemeral-storage": "1Gi" } }),
      { nodes: one },
      { a: "Insufficient ephemeral-storage" },
    ],
    [
      "an extended resource",
      testPod("p", { requests: { "example.com/gpu": "1" } }),
      { nodes: [testNode("a", { allocatable: { "example.com/gpu": "1" } }), testNode("b")] },
      { a: "fits", b: "Insufficient example.com/gpu" },
    ],
    [
      "an extended resource that another pod has",
      testPod("p", { requests: { "example.com/gpu": "1" } }),
      { nodes: [testNode("a", { allocatable: { "example.com/gpu": "1" } })], pods: busy({ "example.com/gpu": "1" }) },
      { a: "Insufficient example.com/gpu" },
    ],
    ["nothing of what the node has given too much of", testPod("p"), { nodes: one, pods: busy({ cpu: "5" }) }, { a: "fits" }],
    ["zero of a resource that the node lacks", testPod("p", { requests: { "example.com/gpu": "0" } }), { nodes: one }, { a: "fits" }],
    [
      "an init container that needs more than the rest",
      testPod("p", { requests: { cpu: "2" } }),
      { nodes: one, pods: [testPod("q", { on: "a", spec: init() })] },
      { a: "Insufficient cpu" },
    ],
    [
      "an init container beside containers that need less",
      { ...testPod("p"), spec: { containers: [{ name: "a", image: "a", resources: { requests: { cpu: "2" } } }], ...init() } },
      { nodes: one },
      { a: "fits" },
    ],
    [
      "a sidecar beside the containers",
      { ...testPod("p"), spec: { containers: [{ name: "a", image: "a", resources: { requests: { cpu: "2" } } }], ...init("Always") } },
      { nodes: one },
      { a: "Insufficient cpu" },
    ],
    [
      "overhead on top",
      testPod("p", { requests: { cpu: "4" } }),
      { nodes: one, pods: [testPod("q", { on: "a", spec: { overhead: { cpu: "1m" } } })] },
      { a: "Insufficient cpu" },
    ],
    [
      "one pod more than the node takes",
      testPod("p"),
      { nodes: [testNode("a", { allocatable: { pods: "1" } })], pods: busy({}) },
      { a: "Too many pods" },
    ],
    [
      "too many pods and too little cpu",
      testPod("p", { requests: { cpu: "4" } }),
      { nodes: [testNode("a", { allocatable: { pods: "1" } })], pods: busy({ cpu: "1" }) },
      { a: "Too many pods; Insufficient cpu" },
    ],
    [
      "pods that have ended count no more",
      testPod("p", { requests: { cpu: "4" } }),
      { nodes: one, pods: [{ ...testPod("q", { on: "a", requests: { cpu: "4" } }), status: { phase: "Succeeded" } }] },
      { a: "fits" },
    ],
    [
      "a node whose number of pods has a unit took none",
      testPod("p"),
      { nodes: ["1k", "1M", "1e2"].map((pods) => testNode(pods, { allocatable: { pods } })) },
      { "1k": "fits", "1M": "fits", "1e2": "fits" },
    ],
    ["a node that says nothing of pods takes none", testPod("p"), { nodes: [{ ...testNode("a"), status: {} }] }, { a: "Too many pods" }],
  ]
  test.each(rows)("%s", (_what, subject, situation, expected) => expect(verdicts(subject, situation)).toEqual(expected))
})

describe("host ports", () => {
  const with_ = (hostPort: number, more: { protocol?: "UDP"; hostIP?: string } = {}): Partial<PodSpec> => ({
    containers: [{ name: "a", image: "a", ports: [{ containerPort: 80, hostPort, ...more }] }],
  })
  const ofInit = (restartPolicy?: "Always"): Partial<PodSpec> => ({
    initContainers: [{ name: "i", image: "i", restartPolicy, ports: [{ containerPort: 80, hostPort: 80 }] }],
  })
  const words = "node(s) didn't have free ports for the requested pod ports"
  const rows: readonly (readonly [string, Partial<PodSpec>, Partial<PodSpec>, string])[] = [
    ["the same port", with_(80), with_(80), words],
    ["another port", with_(80), with_(81), "fits"],
    ["another protocol", with_(80), with_(80, { protocol: "UDP" }), "fits"],
    ["another address", with_(80, { hostIP: "10.0.0.1" }), with_(80, { hostIP: "10.0.0.2" }), "fits"],
    ["the same address", with_(80, { hostIP: "10.0.0.1" }), with_(80, { hostIP: "10.0.0.1" }), words],
    ["every address, where one has it", with_(80), with_(80, { hostIP: "10.0.0.1" }), words],
    ["one address, where every has it", with_(80, { hostIP: "10.0.0.1" }), with_(80), words],
    ["that of an init container, which is over before anything listens", with_(80), ofInit(), "fits"],
    ["that of a sidecar", with_(80), ofInit("Always"), words],
  ]
  test.each(rows)("%s", (_what, wants, has, expected) => {
    const there = testPod("q", { spec: { ...has, nodeName: "a" } })
    expect(verdicts(pod(wants), { nodes: one, pods: [there] })).toEqual({ a: expected })
  })
})

describe("process pods where the system has only 127.0.0.1", () => {
  const macOs = (name: string) => testNode(name, { labels: { "pilothouse.dev/exec": "true", "pilothouse.dev/one-address": "true" } })
  const listens = (containerPort: number, image = "process"): Partial<PodSpec> => ({
    containers: [{ name: "a", image, ports: [{ containerPort }] }],
  })
  const taken = "node(s) share the one loopback address of this system, on which another process pod has port 8080: one pod per port"
  const other = testPod("other", { on: "b", spec: { ...listens(8080), nodeName: "b" } })
  const two = { nodes: [macOs("a"), macOs("b")], pods: [other] }
  const rows: readonly Row[] = [
    ["one pod per port, whatever the node", pod(listens(8080)), two, { a: taken, b: taken }],
    ["another port is free", pod(listens(8081)), two, { a: "fits", b: "fits" }],
    ["a simulated pod listens nowhere", pod(listens(8080, "example/web")), two, { a: "fits", b: "fits" }],
    ["with an address for each pod all may have it", pod(listens(8080)), { nodes: [testNode("a")], pods: [other] }, { a: "fits" }],
  ]
  test.each(rows)("%s", (_what, asking, situation, expected) => expect(verdicts(asking, situation)).toEqual(expected))
})
