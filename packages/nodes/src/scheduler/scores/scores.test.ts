import { selectorFromLabels } from "@pilothouse/api"
import type { Pod, PodSpec } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { observed, type Situation, testNode, testPod, totals } from "../testing/objects.ts"
import { balancedAllocation, imageLocality, leastAllocated, preferredNodes, preferredTaints } from "./node-scores.ts"
import { preferredPods } from "./preferred-pods.ts"
import type { Score } from "./score.ts"
import { spreading } from "./spreading.ts"

function scored(score: Score, pod: Pod, situation: Situation): readonly number[] | undefined {
  const seen = observed(pod, situation)
  return score(seen, seen.nodes.list())
}

const web = { app: "web" }
const inZone = (name: string, zone: string) => testNode(name, { labels: { "topology.kubernetes.io/zone": zone } })
const small = [testNode("a", { allocatable: { cpu: "4", memory: "8Gi" } }), testNode("b", { allocatable: { cpu: "4", memory: "8Gi" } })]

const wants = (image: string) => testPod("p", { spec: { containers: [{ name: "a", image }] } })
const pulled = (name: string, image: string, megabytes: number) => {
  const node = testNode(name)
  return { ...node, status: { ...node.status, images: [{ names: [image], sizeBytes: megabytes * 1024 * 1024 }] } }
}

type Row = readonly [what: string, score: Score, pod: Pod, situation: Situation, expected: readonly number[] | undefined]

const preferring = (spec: object, labels?: Record<string, string>) => testPod("p", { labels, spec: { affinity: spec } as Partial<PodSpec> })
const likes = (weight: number) => [
  { weight, podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: web } } },
]
const near = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: likes(10) } }
const far = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: likes(10) } }
const must = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [likes(0)[0]?.podAffinityTerm] } }
const disk = (weight: number, value: string) => ({
  weight,
  preference: { matchExpressions: [{ key: "disk", operator: "In", values: [value] }] },
})
const disks = [testNode("a", { labels: { disk: "ssd" } }), testNode("b", { labels: { disk: "hdd" } }), testNode("c")]
const inSsd = (pod: Pod): Pod => ({ ...pod, spec: { ...pod.spec!, nodeSelector: { disk: "ssd" } } })
const asks = (labels: Record<string, string>, key = "kubernetes.io/hostname", maxSkew = 1) =>
  testPod("p", {
    labels,
    spec: {
      topologySpreadConstraints: [
        { maxSkew, topologyKey: key, whenUnsatisfiable: "ScheduleAnyway", labelSelector: { matchLabels: labels } },
      ],
    },
  })

const rows: readonly Row[] = [
  [
    "least allocated: half of the cpu and a quarter of the memory",
    leastAllocated,
    testPod("p", { requests: { cpu: "2", memory: "2Gi" } }),
    { nodes: small },
    [62, 62],
  ],
  [
    "least allocated: pods that are there count",
    leastAllocated,
    testPod("p", { requests: { cpu: "1", memory: "2Gi" } }),
    { nodes: small, pods: [testPod("q", { on: "a", requests: { cpu: "1", memory: "2Gi" } })] },
    [50, 75],
  ],
  [
    "least allocated: who asks for nothing is guessed at 100m and 200Mi",
    leastAllocated,
    testPod("p"),
    { nodes: [testNode("a", { allocatable: { cpu: "1", memory: "400Mi" } })] },
    [70],
  ],
  [
    "least allocated: who asks for cpu only is guessed at for memory",
    leastAllocated,
    testPod("p", { requests: { cpu: "1" } }),
    { nodes: [testNode("a", { allocatable: { cpu: "4", memory: "400Mi" } })] },
    [62],
  ],
  [
    "least allocated: nothing was guessed for containers that run first, and for sidecars",
    leastAllocated,
    testPod("p", {
      requests: { cpu: "50m", memory: "100Mi" },
      spec: {
        initContainers: [
          { name: "side", image: "a", restartPolicy: "Always" },
          { name: "first", image: "a" },
        ],
      },
    }),
    { nodes: [testNode("a", { allocatable: { cpu: "1", memory: "800Mi" } })] },
    [65],
  ],
  [
    "least allocated: what a container left to the pod as a whole was guessed at",
    leastAllocated,
    testPod("p", {
      spec: {
        resources: { requests: { cpu: "500m" } },
        containers: [
          { name: "a", image: "a", resources: { requests: { memory: "200Mi" } } },
          { name: "b", image: "b" },
        ],
      },
    }),
    { nodes: [testNode("a", { allocatable: { cpu: "1", memory: "400Mi" } })] },
    [50],
  ],
  [
    "least allocated: a node that has no memory to give is judged by its cpu",
    leastAllocated,
    testPod("p", { requests: { cpu: "1", memory: "1Gi" } }),
    { nodes: [testNode("a", { allocatable: { cpu: "4", memory: "0" } })] },
    [75],
  ],
  [
    "least allocated: more than there is",
    leastAllocated,
    testPod("p", { requests: { cpu: "9", memory: "9Gi" } }),
    { nodes: small },
    [0, 0],
  ],
  [
    "balanced: who evens out a node goes there",
    balancedAllocation,
    testPod("p", { requests: { memory: "4Gi" } }),
    { nodes: small, pods: [testPod("q", { on: "a", requests: { cpu: "2" } })] },
    [87, 62],
  ],
  [
    "balanced: a node that is over-full is full",
    balancedAllocation,
    testPod("p", { requests: { cpu: "4" } }),
    { nodes: small, pods: [testPod("q", { on: "a", requests: { cpu: "4", memory: "4Gi" } })] },
    [75, 50],
  ],
  [
    "balanced: nothing can be said of a node without memory",
    balancedAllocation,
    testPod("p", { requests: { cpu: "4" } }),
    { nodes: [testNode("a", { allocatable: { memory: "0" } })] },
    [75],
  ],
  ["balanced: nothing to say of a pod that asks for nothing", balancedAllocation, testPod("p"), { nodes: small }, undefined],
  ["images: nothing to say where no node has any", imageLocality, testPod("p"), { nodes: small }, undefined],
  [
    "images: who has it is better, by its size",
    imageLocality,
    wants("web"),
    { nodes: [pulled("a", "web:latest", 1000), small[1]!] },
    [48, 0],
  ],
  [
    "images: one that more nodes have counts more",
    imageLocality,
    wants("web:1"),
    { nodes: [pulled("a", "web:1", 1000), pulled("b", "web:1", 500)] },
    [100, 48],
  ],
  [
    "images: those of all containers, and of those that run first",
    imageLocality,
    testPod("p", { spec: { containers: [{ name: "a", image: "web:1" }], initContainers: [{ name: "i", image: "init:1" }] } }),
    { nodes: [pulled("a", "init:1", 1000), pulled("b", "web:1", 1000)] },
    [24, 24],
  ],
  [
    "images: those that are volumes did not count",
    imageLocality,
    testPod("p", { spec: { volumes: [{ name: "v", image: { reference: "model" } }] } }),
    { nodes: [pulled("a", "model:latest", 1000), small[1]!] },
    [48, 0],
  ],
  ["images: a small one is no reason", imageLocality, wants("web:1"), { nodes: [pulled("a", "web:1", 20), small[1]!] }, [0, 0]],
  [
    "images: a port is no tag",
    imageLocality,
    wants("registry:5000/web"),
    { nodes: [pulled("a", "registry:5000/web:latest", 1000), small[1]!] },
    [48, 0],
  ],
  [
    "taints: who asks pods to stay away comes last",
    preferredTaints,
    testPod("p"),
    { nodes: [testNode("a", { spec: { taints: [{ key: "k", effect: "PreferNoSchedule" }] } }), testNode("b")] },
    [0, 100],
  ],
  [
    "taints: one that is tolerated does not count",
    preferredTaints,
    testPod("p", { spec: { tolerations: [{ key: "k", operator: "Exists" }] } }),
    { nodes: [testNode("a", { spec: { taints: [{ key: "k", effect: "PreferNoSchedule" }] } }), testNode("b")] },
    [100, 100],
  ],
  [
    "taints: those of another effect do not count",
    preferredTaints,
    testPod("p", { spec: { tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule" }] } }),
    { nodes: [testNode("a", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }), testNode("b")] },
    [100, 100],
  ],
  ["taints: none at all", preferredTaints, testPod("p"), { nodes: small }, undefined],
  [
    "nodes: by weight",
    preferredNodes,
    preferring({ nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [disk(20, "ssd"), disk(5, "hdd")] } }),
    { nodes: disks },
    [100, 25, 0],
  ],
  ["nodes: no preference", preferredNodes, testPod("p"), { nodes: disks }, undefined],
  [
    "pods: near those it likes",
    preferredPods,
    preferring(near),
    { nodes: small, pods: [testPod("q", { on: "a", labels: web })] },
    [100, 0],
  ],
  [
    "pods: far from those it does not",
    preferredPods,
    preferring(far),
    { nodes: small, pods: [testPod("q", { on: "a", labels: web })] },
    [0, 100],
  ],
  [
    "pods: near those who like it",
    preferredPods,
    testPod("p", { labels: web }),
    {
      nodes: small,
      pods: [
        {
          ...preferring(near),
          metadata: { name: "q", namespace: "default", uid: "q" },
          spec: { containers: [], nodeName: "b", affinity: near } as PodSpec,
        },
      ],
    },
    [0, 100],
  ],
  [
    "pods: near those who need it",
    preferredPods,
    testPod("p", { labels: web }),
    { nodes: small, pods: [testPod("q", { spec: { nodeName: "b", affinity: must } as Partial<PodSpec> })] },
    [0, 100],
  ],
  [
    "pods: far from those who do not like it",
    preferredPods,
    testPod("p", { labels: web }),
    { nodes: small, pods: [testPod("q", { spec: { nodeName: "b", affinity: far } as Partial<PodSpec> })] },
    [100, 0],
  ],
  [
    "pods: the more of them the nearer, or the farther",
    preferredPods,
    preferring(far),
    {
      nodes: [...small, testNode("c")],
      pods: ["a", "a", "b"].map((on, at) => testPod(`q${at}`, { on, labels: web })),
    },
    [0, 50, 100],
  ],
  [
    "pods: the share of 29 in 100 was rounded to 29, and not down to 28",
    preferredPods,
    preferring({
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          ...likes(29),
          { weight: 100, podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "db" } } } },
        ],
      },
    }),
    {
      nodes: [...small, testNode("c")],
      pods: [testPod("q", { on: "a", labels: web }), testPod("r", { on: "b", labels: { app: "db" } })],
    },
    [28, 100, 0],
  ],
  ["pods: no preferences", preferredPods, testPod("p"), { nodes: small, pods: [testPod("q", { on: "a", labels: web })] }, undefined],
  ["spread: as the pod asks, by host", spreading, asks(web), { nodes: small, pods: [testPod("q", { on: "a", labels: web })] }, [0, 100]],
  ["spread: nodes without the key are worth nothing", spreading, asks(web, "rack"), { nodes: small }, [0, 0]],
  [
    "spread: by zone, whatever node of it",
    spreading,
    asks(web, "topology.kubernetes.io/zone"),
    { nodes: [inZone("a1", "a"), inZone("a2", "a"), inZone("b1", "b")], pods: [testPod("q", { on: "a1", labels: web })] },
    [0, 0, 100],
  ],
  [
    "spread: a skew that is borne waters down the difference, and each pod counts by how many hosts there are",
    spreading,
    asks(web, "kubernetes.io/hostname", 3),
    { nodes: small, pods: [testPod("q", { on: "a", labels: web }), testPod("r", { on: "a", labels: web })] },
    [40, 100],
  ],
  [
    "spread: pods on nodes that this one cannot go to do not count",
    spreading,
    inSsd(asks(web, "topology.kubernetes.io/zone")),
    {
      nodes: [
        testNode("a1", { labels: { "topology.kubernetes.io/zone": "a", disk: "ssd" } }),
        inZone("a2", "a"),
        testNode("b1", { labels: { "topology.kubernetes.io/zone": "b", disk: "ssd" } }),
      ],
      pods: [testPod("q", { on: "a2", labels: web })],
    },
    [100, 100, 100],
  ],
  [
    "spread: without asking over hosts and zones, with what is borne of each",
    spreading,
    testPod("p", { labels: web }),
    { nodes: [inZone("a1", "a"), inZone("b1", "b")], pods: [testPod("q", { on: "a1", labels: web })], spreadBy: selectorFromLabels(web) },
    [66, 100],
  ],
  [
    "spread: without asking over hosts, where nodes say nothing of zones",
    spreading,
    testPod("p", { labels: web }),
    { nodes: small, pods: [testPod("q", { on: "a", labels: web })], spreadBy: selectorFromLabels(web) },
    [66, 100],
  ],
  ["spread: no constraints, no similar pods", spreading, testPod("p"), { nodes: small }, undefined],
]

test.each(rows)("%s", (_what, score, pod, situation, expected) => expect(scored(score, pod, situation)).toEqual(expected))

describe("all together", () => {
  test("pods of one Service or owner are spread over hosts and zones without asking", () => {
    const nodes = [inZone("a1", "a"), inZone("a2", "a"), inZone("b1", "b")]
    const pods = [testPod("q", { on: "a1", labels: web })]
    const { a1 = 0, a2 = 0, b1 = 0 } = totals(testPod("p", { labels: web }), { nodes, pods, spreadBy: selectorFromLabels(web) })
    expect([b1 > a2, a2 > a1]).toEqual([true, true])
  })

  test("each score has upstream's weight", () => {
    const weights: readonly (readonly [number, Score])[] = [
      [3, preferredTaints],
      [2, preferredNodes],
      [1, leastAllocated],
      [1, balancedAllocation],
      [1, imageLocality],
      [2, spreading],
      [2, preferredPods],
    ]
    const preference = preferring({ ...near, nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [disk(1, "ssd")] } }, web)
    const pod: Pod = {
      ...preference,
      spec: { ...preference.spec!, containers: [{ name: "a", image: "web:1", resources: { requests: { cpu: "1" } } }] },
    }
    const shy = pulled("a", "web:1", 900)
    const nodes = [{ ...shy, spec: { taints: [{ key: "k", effect: "PreferNoSchedule" as const }] } }, ...disks.slice(1), disks[0]!].map(
      (node, at) => ({
        ...node,
        metadata: { ...node.metadata, name: `n${at}`, labels: { ...node.metadata.labels, "kubernetes.io/hostname": `n${at}` } },
      }),
    )
    const situation: Situation = {
      nodes,
      pods: [testPod("q", { on: "n1", labels: web, requests: { cpu: "1", memory: "6Gi" } })],
      spreadBy: selectorFromLabels(web),
    }
    const given = weights.map(([weight, score]) => ({ weight, scores: scored(score, pod, situation) }))
    expect(given.map(({ scores }) => new Set(scores).size > 1)).toEqual(weights.map(() => true))
    const expected = nodes.map(({ metadata }, at) => [
      metadata.name,
      given.reduce((sum, { weight, scores }) => sum + weight * (scores?.[at] ?? 0), 0),
    ])
    expect(totals(pod, situation)).toEqual(Object.fromEntries(expected))
  })

  test("a preferred node outweighs a little more room", () => {
    const preference = preferring({ nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [disk(1, "ssd")] } })
    const { a = 0, b = 0 } = totals(preference, { nodes: disks, pods: [testPod("q", { on: "a", requests: { cpu: "1", memory: "1Gi" } })] })
    expect(a).toBeGreaterThan(b)
  })
})
