import type { Namespace, Node, Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { ownership } from "./ownership.ts"
import { podPorts, podVif, testCluster, testPod } from "./testing/cluster.ts"

const labelled = (labels?: Readonly<Record<string, string>>) => ({ metadata: { labels } }) as never

test("everything is ours where nothing is said, and a reason says what is not", () => {
  const all = ownership()
  expect([all.namespace(labelled()), all.pod(labelled()), all.node(undefined)]).toEqual([undefined, undefined, undefined])
  const some = ownership({ namespaces: "team=a", pods: "net notin (host)", nodes: "!virtual" })
  expect(some.namespace(labelled({ team: "a" }) as Namespace)).toBeUndefined()
  expect(some.namespace(labelled({ team: "b" }) as Namespace)).toBe('the namespace is not one of "team=a"')
  expect(some.pod(labelled({ net: "host" }) as Pod)).toBe('the pod is not one of "net notin (host)"')
  expect(some.node(labelled({ virtual: "" }) as Node)).toBe('the node is not one of "!virtual"')
})

test("pods, namespaces and nodes that are not ours get no port, with the reason in the trace; those that are do", async () => {
  await using run = await testCluster({ kuryr: { select: { namespaces: "kuryr!=no", pods: "app", nodes: "kubernetes!=other" } } })
  await run.cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "theirs", labels: { kuryr: "no" } } })
  await run.cluster.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "node9", labels: { kubernetes: "other" } } })
  const elsewhere = testPod("elsewhere")
  await run.cluster.apply({ ...elsewhere, metadata: { ...elsewhere.metadata, namespace: "theirs" } })
  await run.cluster.apply(testPod("unlabelled", {}, {}))
  await run.cluster.apply(testPod("on-node9", { nodeName: "node9" }))
  await run.cluster.apply(testPod("web-1"))
  await run.cluster.until(async () => (await podVif(run, "web-1"))?.active === true)
  expect(podPorts(run).map(({ name }) => name)).toEqual(["web-1"])
  const why = (key: string) =>
    run.cluster.trace
      .entries()
      .filter((entry) => entry.controller === "vif" && entry.key === key)
      .at(-1)?.plan?.summary
  expect([why("theirs/elsewhere"), why("default/unlabelled"), why("default/on-node9")]).toEqual([
    'the namespace is not one of "kuryr!=no"',
    'the pod is not one of "app"',
    'the node is not one of "kubernetes!=other"',
  ])
})
