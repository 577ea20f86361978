import type { PodSpec, Taint } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { eligibilityFor } from "./eligibility.ts"
import { daemonSet, node } from "./testing/objects.ts"

const noSchedule: Taint = { key: "dedicated", value: "db", effect: "NoSchedule" }
const noExecute: Taint = { key: "dedicated", value: "db", effect: "NoExecute" }
const ofNode = (name: string, effect: Taint["effect"]): Taint => ({ key: `node.kubernetes.io/${name}`, effect })
const required = (key: string, value: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In" as const, values: [value] }] }],
    },
  },
})

interface Row {
  readonly name: string
  readonly template?: Partial<PodSpec>
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  /** Should run, may stay. */
  readonly expected: readonly [boolean, boolean]
}

const rows: readonly Row[] = [
  { name: "any node (OneNodeDaemonLaunchesPod)", expected: [true, true] },
  { name: "the node that the template names (NameDaemonSetLaunchesPods)", template: { nodeName: "node-1" }, expected: [true, true] },
  { name: "another node than the one it names (BadNameDaemonSetDoesNothing)", template: { nodeName: "node-2" }, expected: [false, false] },
  { name: "a node selector that matches", template: { nodeSelector: { disk: "ssd" } }, labels: { disk: "ssd" }, expected: [true, true] },
  {
    name: "a node selector that does not (BadSelectorDaemonDoesNothing)",
    template: { nodeSelector: { disk: "ssd" } },
    expected: [false, false],
  },
  {
    name: "a matching selector, but another name (InconsistentNameSelectorDaemonSetDoesNothing)",
    template: { nodeSelector: { disk: "ssd" }, nodeName: "node-2" },
    labels: { disk: "ssd" },
    expected: [false, false],
  },
  {
    name: "a required affinity that matches (NodeAffinityDaemonLaunchesPods)",
    template: { affinity: required("zone", "a") },
    labels: { zone: "a" },
    expected: [true, true],
  },
  {
    name: "a required affinity that does not",
    template: { affinity: required("zone", "a") },
    labels: { zone: "b" },
    expected: [false, false],
  },
  {
    name: "a taint NoSchedule keeps away and evicts none (NoScheduleTaintedDoesntEvicitRunningIntolerantPod)",
    taints: [noSchedule],
    expected: [false, true],
  },
  { name: "a taint NoExecute evicts (NoExecuteTaintedDoesEvicitRunningIntolerantPod)", taints: [noExecute], expected: [false, false] },
  { name: "a taint PreferNoSchedule is no reason", taints: [{ ...noSchedule, effect: "PreferNoSchedule" }], expected: [true, true] },
  {
    name: "a taint that is tolerated (TaintedNodeDaemonLaunchesToleratePod)",
    template: { tolerations: [{ key: "dedicated", operator: "Exists" }] },
    taints: [noSchedule, noExecute],
    expected: [true, true],
  },
  { name: "not ready (NotReadyNodeDaemonLaunchesPod)", taints: [ofNode("not-ready", "NoExecute")], expected: [true, true] },
  { name: "not ready, but kept from scheduling", taints: [ofNode("not-ready", "NoSchedule")], expected: [false, true] },
  { name: "unreachable (UnreachableNodeDaemonLaunchesPod)", taints: [ofNode("unreachable", "NoExecute")], expected: [true, true] },
  {
    name: "under pressure (TaintPressureNodeDaemonLaunchesPod)",
    taints: ["disk-pressure", "memory-pressure", "pid-pressure"].map((name) => ofNode(name, "NoSchedule")),
    expected: [true, true],
  },
  { name: "cordoned", taints: [ofNode("unschedulable", "NoSchedule")], expected: [true, true] },
  { name: "without network", taints: [ofNode("network-unavailable", "NoSchedule")], expected: [false, true] },
  {
    name: "without network, on the host's network (NetworkUnavailableNodeDaemonLaunchesPod)",
    template: { hostNetwork: true },
    taints: [ofNode("network-unavailable", "NoSchedule")],
    expected: [true, true],
  },
]

describe("NodeShouldRunDaemonPod", () => {
  test.each(rows)("$name", ({ template, labels, taints, expected }) => {
    const { runs, stays, reason } = eligibilityFor(daemonSet({ template }))(node("node-1", { labels, taints }))
    expect([runs, stays]).toEqual(expected)
    // A refusal has a reason.
    expect(reason !== undefined).toBe(!runs)
  })
})
