import type { Pod, PodAffinityTerm, PodSpec, TopologySpreadConstraint } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { type Situation, testNode, testPod, verdicts } from "../testing/objects.ts"

const zone = "zone"
const inZone = (name: string, value: string) => testNode(name, { labels: { [zone]: value } })
/** a1 and a2 in zone a, b1 in zone b. */
const zones = [inZone("a1", "a"), inZone("a2", "a"), inZone("b1", "b")]
const web = { app: "web" }

type Row = readonly [what: string, pod: Pod, situation: Situation, verdicts: Record<string, string>]

describe("topology spread", () => {
  const words = "node(s) didn't match pod topology spread constraints"
  const spread = (more: Partial<TopologySpreadConstraint> = {}): Pod =>
    testPod("p", {
      labels: { ...web, hash: "1" },
      spec: {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: web }, ...more },
        ],
      },
    })
  const there = (name: string, on: string, labels: Record<string, string> = web) => testPod(name, { on, labels })
  const full = { a1: words, a2: words, b1: "fits" }
  const all = { a1: "fits", a2: "fits", b1: "fits" }
  const rows: readonly Row[] = [
    ["one more in a zone than in the other", spread(), { nodes: zones, pods: [there("q", "a2")] }, full],
    ["an empty selector counts no pod", spread({ labelSelector: {} }), { nodes: zones, pods: [there("q", "a2")] }, all],
    [
      "a selector that cannot be parsed counts no pod",
      spread({ labelSelector: { matchExpressions: [{ key: "app", operator: "Nonsense" as "In", values: ["web"] }] } }),
      { nodes: zones, pods: [there("q", "a2")] },
      all,
    ],
    ["within a greater skew", spread({ maxSkew: 2 }), { nodes: zones, pods: [there("q", "a2")] }, all],
    ["pods of other labels do not count", spread(), { nodes: zones, pods: [there("q", "a2", { app: "db" })] }, all],
    [
      "pods of other namespaces do not count",
      spread(),
      { nodes: zones, pods: [testPod("q", { on: "a2", labels: web, namespace: "other" })] },
      all,
    ],
    [
      "pods that are being deleted do not count",
      spread(),
      { nodes: zones, pods: [testPod("q", { on: "a2", labels: web, deleting: true })] },
      all,
    ],
    [
      "a pod that its own selector does not select",
      { ...spread(), metadata: { ...spread().metadata, labels: {} } },
      { nodes: zones, pods: [there("q", "a2")] },
      all,
    ],
    ["a node without the label", spread(), { nodes: [...zones, testNode("c")] }, { ...all, c: `${words} (missing required label)` }],
    [
      "fewer domains than minDomains count as an empty one",
      spread({ minDomains: 3 }),
      { nodes: zones, pods: [there("q", "a1"), there("r", "b1")] },
      { a1: words, a2: words, b1: words },
    ],
    ["as many domains as minDomains", spread({ minDomains: 2 }), { nodes: zones, pods: [there("q", "a1"), there("r", "b1")] }, all],
    [
      "matchLabelKeys: pods of another revision do not count",
      spread({ matchLabelKeys: ["hash"] }),
      { nodes: zones, pods: [there("q", "a1", { ...web, hash: "0" })] },
      all,
    ],
    [
      "matchLabelKeys: pods of the same revision do",
      spread({ matchLabelKeys: ["hash"] }),
      { nodes: zones, pods: [there("q", "a1", { ...web, hash: "1" })] },
      full,
    ],
  ]
  test.each(rows)("%s", (_what, pod, situation, expected) => expect(verdicts(pod, situation)).toEqual(expected))

  test("a node without one of two keys makes no domain of the other", () => {
    const pod = spread()
    const [constraint] = pod.spec?.topologySpreadConstraints ?? []
    const topologySpreadConstraints = [constraint!, { ...constraint!, topologyKey: "rack", maxSkew: 5 }]
    const racked = (name: string, value: string) => testNode(name, { labels: { [zone]: value, rack: "1" } })
    const nodes = [racked("a1", "a"), racked("b1", "b"), inZone("c1", "c")]
    expect(
      verdicts({ ...pod, spec: { ...pod.spec!, topologySpreadConstraints } }, { nodes, pods: [there("q", "a1"), there("r", "b1")] }),
    ).toMatchObject({ a1: "fits", b1: "fits", c1: `${words} (missing required label)` })
  })

  const tainted = testNode("c1", { labels: { [zone]: "c" }, spec: { taints: [{ key: "k", effect: "NoSchedule" }] } })
  const both = [there("q", "a1"), there("r", "b1")]
  const policies: readonly (readonly [string, Pod, string])[] = [
    ["a tainted zone counts as an empty one by default", spread(), words],
    ["with nodeTaintsPolicy Honor it does not count", spread({ nodeTaintsPolicy: "Honor" }), "fits"],
  ]
  test.each(policies)("%s", (_what, pod, expected) => {
    const { a1, b1, c1 } = verdicts(pod, { nodes: [...zones, tainted], pods: both })
    expect([a1, b1, c1]).toEqual([expected, expected, "node(s) had untolerated taint(s)"])
  })

  const elsewhere = (nodeAffinityPolicy: "Honor" | "Ignore") => {
    const pod = spread({ nodeAffinityPolicy })
    return { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeSelector: { [zone]: "a" } } }
  }
  test.each([
    ["a zone that the pod cannot go to does not count", elsewhere("Honor"), "fits"],
    ["with nodeAffinityPolicy Ignore it does", elsewhere("Ignore"), words],
  ] as const)("%s", (_what, pod, expected) => {
    expect(verdicts(pod, { nodes: zones, pods: [there("q", "a1")] })).toMatchObject({ a1: expected, a2: expected })
  })
})

describe("affinity to pods", () => {
  const near = "node(s) didn't match pod affinity rules"
  const far = "node(s) didn't match pod anti-affinity rules"
  const unwanted = "node(s) didn't satisfy existing pods anti-affinity rules"
  const term = (more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
    topologyKey: zone,
    labelSelector: { matchLabels: web },
    ...more,
  })
  const affine = (...terms: readonly PodAffinityTerm[]): Partial<PodSpec> => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  })
  const averse = (...terms: readonly PodAffinityTerm[]): Partial<PodSpec> => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  })
  const p = (spec: Partial<PodSpec>, labels?: Record<string, string>) => testPod("p", { spec, labels })
  const q = (options: Parameters<typeof testPod>[1] = {}) => testPod("q", { on: "a1", labels: web, ...options })
  const all = { a1: "fits", a2: "fits", b1: "fits" }
  const team = { namespaces: { other: { team: "x" }, default: {} } }
  const selecting = term({ namespaceSelector: { matchLabels: { team: "x" } } })
  const rows: readonly Row[] = [
    ["near: the whole zone of the other", p(affine(term())), { nodes: zones, pods: [q()] }, { a1: "fits", a2: "fits", b1: near }],
    ["near: no pod there", p(affine(term())), { nodes: zones }, { a1: near, a2: near, b1: near }],
    ["near: the first of those that want to be together", p(affine(term()), web), { nodes: zones }, all],
    [
      "near: one of them is there, so the next is no longer the first",
      p(affine(term()), web),
      { nodes: zones, pods: [q()] },
      { a1: "fits", a2: "fits", b1: near },
    ],
    ["near: a node without the key", p(affine(term()), web), { nodes: [testNode("c")] }, { c: near }],
    [
      "near: all of the terms or none",
      p(affine(term(), term({ labelSelector: { matchLabels: { x: "y" } } }))),
      { nodes: zones, pods: [q()] },
      { a1: near, a2: near, b1: near },
    ],
    [
      "near: another namespace by name",
      p(affine(term({ namespaces: ["other"] }))),
      { nodes: zones, pods: [q({ namespace: "other" })] },
      { a1: "fits", a2: "fits", b1: near },
    ],
    [
      "near: another namespace is not meant",
      p(affine(term())),
      { nodes: zones, pods: [q({ namespace: "other" })] },
      { a1: near, a2: near, b1: near },
    ],
    [
      "near: another namespace by its labels",
      p(affine(selecting)),
      { nodes: zones, pods: [q({ namespace: "other" })], ...team },
      { a1: "fits", a2: "fits", b1: near },
    ],
    [
      "near: every namespace",
      p(affine(term({ namespaceSelector: {} }))),
      { nodes: zones, pods: [q({ namespace: "other" })], ...team },
      { a1: "fits", a2: "fits", b1: near },
    ],
    [
      "near: who selects namespaces by labels does not mean its own",
      p(affine(selecting)),
      { nodes: zones, pods: [q()], ...team },
      { a1: near, a2: near, b1: near },
    ],
    [
      "far: a selector that cannot be parsed matches no pod",
      p(averse(term({ labelSelector: { matchExpressions: [{ key: "app", operator: "Nonsense" as "In", values: ["web"] }] } }))),
      { nodes: zones, pods: [q()] },
      all,
    ],
    [
      "far: matchLabelKeys that the pod lacks are ignored",
      p(averse(term({ matchLabelKeys: ["hash"] }))),
      { nodes: zones, pods: [q({ labels: { ...web, hash: "0" } })] },
      { a1: far, a2: far, b1: "fits" },
    ],
    [
      "of two pods that are alike only one does not want this one",
      p({}, web),
      { nodes: zones, pods: [q(), testPod("r", { labels: web, spec: { ...averse(term()), nodeName: "b1" } })] },
      { a1: "fits", a2: "fits", b1: unwanted },
    ],
    ["far: the whole zone of the other", p(averse(term())), { nodes: zones, pods: [q()] }, { a1: far, a2: far, b1: "fits" }],
    [
      "far: by host",
      p(averse(term({ topologyKey: "kubernetes.io/hostname" }))),
      { nodes: zones, pods: [q()] },
      { a1: far, a2: "fits", b1: "fits" },
    ],
    [
      "far: matchLabelKeys means those of one revision",
      p(averse(term({ matchLabelKeys: ["hash"] })), { hash: "1" }),
      { nodes: zones, pods: [q({ labels: { ...web, hash: "0" } })] },
      all,
    ],
    [
      "far: mismatchLabelKeys means those of others",
      p(averse(term({ mismatchLabelKeys: ["hash"] })), { hash: "1" }),
      { nodes: zones, pods: [q({ labels: { ...web, hash: "1" } })] },
      all,
    ],
    [
      "a pod there does not want this one",
      p({}, web),
      { nodes: zones, pods: [q({ spec: { ...averse(term()), nodeName: "a1" } })] },
      { a1: unwanted, a2: unwanted, b1: "fits" },
    ],
    ["a pod there does not want others", p({}), { nodes: zones, pods: [q({ spec: { ...averse(term()), nodeName: "a1" } })] }, all],
    [
      "a pod of a namespace there does not want this one",
      p({}, web),
      { nodes: zones, pods: [q({ namespace: "other", spec: { ...averse(term({ namespaces: ["default"] })), nodeName: "a1" } })] },
      { a1: unwanted, a2: unwanted, b1: "fits" },
    ],
    [
      "a pod that selects namespaces by labels does not want this one",
      testPod("p", { namespace: "other", labels: web }),
      { nodes: zones, pods: [q({ spec: { ...averse(selecting), nodeName: "a1" } })], ...team },
      { a1: unwanted, a2: unwanted, b1: "fits" },
    ],
  ]
  test.each(rows)("%s", (_what, pod, situation, expected) => expect(verdicts(pod, situation)).toEqual(expected))
})
