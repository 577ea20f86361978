import type { Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { daemonPod, isUpdated, targetNode } from "./daemon-pod.ts"
import { daemonTolerations } from "./eligibility.ts"
import { daemonSet, pod } from "./testing/objects.ts"

const generation = (value: string) => ({ annotations: { "deprecated.daemonset.template.generation": value } })

describe("a daemon's pod", () => {
  test("can go to one node only, whatever its template required", () => {
    const preferred = [{ weight: 1, preference: { matchExpressions: [{ key: "a", operator: "Exists" as const }] } }]
    const requiredDuringSchedulingIgnoredDuringExecution = {
      nodeSelectorTerms: [{ matchExpressions: [{ key: "b", operator: "Exists" as const }] }],
    }
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution, preferredDuringSchedulingIgnoredDuringExecution: preferred },
    }
    const { spec } = daemonPod(daemonSet({ template: { affinity } }), "node-7", "abc")
    expect(spec?.nodeName).toBeUndefined()
    expect(spec?.affinity?.nodeAffinity).toEqual({
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["node-7"] }] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    })
  })

  test("has the labels of its template, its revision and its generation, and its owner", () => {
    const { metadata } = daemonPod(daemonSet({ metadata: generation("4") }), "node-1", "abc")
    expect(metadata).toMatchObject({
      generateName: "agent-",
      namespace: "default",
      labels: { app: "agent", "controller-revision-hash": "abc", "pod-template-generation": "4" },
      ownerReferences: [{ kind: "DaemonSet", name: "agent", uid: "ds-1", controller: true, blockOwnerDeletion: true }],
    })
  })

  test.each(["", "four", "1.5"])("a generation that is no number is left out: %j", (text) => {
    const { metadata } = daemonPod(daemonSet({ metadata: generation(text) }), "node-1", "abc")
    expect(metadata.labels).toEqual({ app: "agent", "controller-revision-hash": "abc" })
  })

  test("a toleration of the template with a limit of time is replaced by ours without", () => {
    const limited = {
      key: "node.kubernetes.io/not-ready",
      operator: "Exists" as const,
      effect: "NoExecute" as const,
      tolerationSeconds: 60,
    }
    const other = { key: "dedicated", operator: "Exists" as const }
    const tolerations = daemonTolerations({ containers: [], tolerations: [limited, other] })
    expect(tolerations.slice(0, 2)).toEqual([{ key: limited.key, operator: "Exists", effect: "NoExecute" }, other])
    expect(tolerations).toHaveLength(7)
  })
})

describe("the node of a pod (GetNodesToDaemonPods)", () => {
  const meant = pod("node-1", { scheduled: false })
  const required = (matchFields: readonly object[]): Pod =>
    ({
      ...meant,
      spec: {
        containers: [],
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } } },
      },
    }) as Pod
  test.each<{ name: string; of: Pod; expected: string | undefined }>([
    { name: "is the one it runs on", of: { ...meant, spec: { ...meant.spec!, nodeName: "node-2" } }, expected: "node-2" },
    { name: "is the one its affinity names", of: meant, expected: "node-1" },
    { name: "is unknown without affinity", of: { ...meant, spec: { containers: [] } }, expected: undefined },
    {
      name: "is unknown when there are two",
      of: required([{ key: "metadata.name", operator: "In", values: ["a", "b"] }]),
      expected: undefined,
    },
    {
      name: "is unknown when it only may not be",
      of: required([{ key: "metadata.name", operator: "NotIn", values: ["a"] }]),
      expected: undefined,
    },
  ])("$name", ({ of, expected }) => {
    expect(targetNode(of)).toBe(expected)
  })
})

describe("a pod is of the present template (IsPodUpdated)", () => {
  const withLabels = (labels: Record<string, string>): Pod => ({ apiVersion: "v1", kind: "Pod", metadata: { labels } })
  test.each<{ name: string; labels: Record<string, string>; annotation: string; expected: boolean }>([
    { name: "by its hash", labels: { "controller-revision-hash": "abc" }, annotation: "1", expected: true },
    { name: "by its generation", labels: { "pod-template-generation": "1" }, annotation: "1", expected: true },
    { name: "not by another hash", labels: { "controller-revision-hash": "abd" }, annotation: "1", expected: false },
    { name: "not by another generation", labels: { "pod-template-generation": "2" }, annotation: "1", expected: false },
    { name: "not by a generation that is no number", labels: { "pod-template-generation": "x" }, annotation: "x", expected: false },
  ])("$name", ({ labels, annotation, expected }) => {
    expect(isUpdated(withLabels(labels), daemonSet({ metadata: generation(annotation) }), "abc")).toBe(expected)
  })
})
