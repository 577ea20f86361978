import type { Node, Pod, PodAffinityTerm, PodSpec } from "@pilothouse/api/core/v1"
import type { Plan } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { decide } from "../decide.ts"
import { observed, type PodOptions, testNode, testPod } from "../testing/objects.ts"

const web = { app: "web" }
const near: PodAffinityTerm = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: web } }
const far: Partial<PodSpec> = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near] } } }
const onPort: Partial<PodSpec> = { containers: [{ name: "a", image: "a", ports: [{ containerPort: 80, hostPort: 80 }] }] }
const spread: Partial<PodSpec> = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      minDomains: 2,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: web },
    },
  ],
}

/** The refusal of a pod of higher priority by a node with a pod of lower priority. */
function decided(wants: PodOptions, has: PodOptions, node: Node = testNode("a")): Plan {
  const important = testPod("p", { ...wants, spec: { ...wants.spec, priority: 100 } })
  const lesser: Pod = testPod("x", { ...has, spec: { ...has.spec, nodeName: "a" } })
  return decide(observed(important, { nodes: [node], pods: [lesser] }), { now: 0, random: seededRandom(1) })
}

describe("a less important pod leaves where that helps", () => {
  const rows: readonly [string, PodOptions, PodOptions][] = [
    ["its cpu is needed", { requests: { cpu: "4" } }, { requests: { cpu: "1" } }],
    ["its host port is needed", { spec: onPort }, { spec: onPort }],
    ["the other will not be near it", { spec: far }, { labels: web }],
    ["it will not be near the other", { labels: web }, { spec: far }],
    ["there would be too many of its like", { labels: web, spec: spread }, { labels: web }],
  ]
  test.each(rows)("%s", (_what, wants, has) => {
    expect(decided(wants, has).events.map(({ reason }) => reason)).toEqual(["Preempted", "FailedScheduling"])
  })
})

describe("and stays where it does not", () => {
  const tainted = testNode("a", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } })
  const rows: readonly [string, PodOptions, Node | undefined][] = [
    ["the node is cordoned", {}, testNode("a", { spec: { unschedulable: true } })],
    ["the node has a taint", {}, tainted],
    ["the node is not one that the other wants", { spec: { nodeSelector: { disk: "ssd" } } }, undefined],
    ["no pod matches the other's affinity", affine(), undefined],
    ["the node never has so much", { requests: { cpu: "4", memory: "9Gi" } }, undefined],
    ["the node has nothing of it", { requests: { "example.com/gpu": "1", cpu: "4" } }, undefined],
  ]
  test.each(rows)("%s", (_what, wants, node) => {
    const [told, ...others] = decided(wants, { requests: { cpu: "1" } }, node).events
    expect([told?.message.replace(/^.* preemption: /, ""), others]).toEqual([
      "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
      [],
    ])
  })
})

function affine(): PodOptions {
  return { spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near] } } } }
}
