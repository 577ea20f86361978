import { describe, expect, test } from "vitest"
import { podFacts } from "../pod/pod-facts.ts"
import { testNode, testPod } from "../testing/objects.ts"
import { NodeStates } from "./node-states.ts"

const cpu = (millis: number) => ({ requests: { cpu: `${millis}m` } })

function withNode(): NodeStates {
  const states = new NodeStates()
  states.nodeChanged({ type: "added", object: testNode("a") })
  return states
}

describe("what is on a node", () => {
  test("an assumed pod counts once, also when the cache shows it", () => {
    const states = withNode()
    const pod = testPod("p", cpu(100))
    states.assume(podFacts(pod, states.slots), "a")
    expect([states.get("a")?.requested[0], states.assumedFor("default-p")?.node]).toEqual([100, "a"])
    states.podChanged({ type: "updated", old: pod, object: testPod("p", { ...cpu(100), on: "a" }) })
    expect([states.get("a")?.requested[0], states.get("a")?.podCount, states.assumedFor("default-p")]).toEqual([100, 1, undefined])
  })

  test("a request beyond 2^53 leaves nothing behind when its pod goes", () => {
    const states = withNode()
    const memory = (bytes: string, name: string) => testPod(name, { requests: { memory: bytes }, on: "a" })
    states.podChanged({ type: "added", object: memory("1000001", "small") })
    states.podChanged({ type: "added", object: memory("9223372036854775807", "large") })
    states.podChanged({ type: "deleted", object: memory("9223372036854775807", "large"), finalStateUnknown: false })
    expect(states.get("a")?.requested[1]).toBe(1_000_001)
  })

  test("a pod that the cache shows elsewhere than assumed is there", () => {
    const states = withNode()
    states.nodeChanged({ type: "added", object: testNode("b") })
    states.assume(podFacts(testPod("p"), states.slots), "a")
    states.podChanged({ type: "added", object: testPod("p", { on: "b" }) })
    expect([states.get("a")?.podCount, states.get("b")?.podCount]).toEqual([0, 1])
  })

  test("the place of a pod was kept that is being deleted", () => {
    const states = withNode()
    states.assume(podFacts(testPod("p"), states.slots), "a", 1000)
    states.podChanged({ type: "updated", old: testPod("p"), object: testPod("p", { deleting: true }) })
    expect([states.get("a")?.podCount, states.assumedFor("default-p")]).toEqual([0, undefined])
  })

  test("a status changes nothing, a resize does", () => {
    const states = withNode()
    const pod = testPod("p", { ...cpu(100), on: "a" })
    states.podChanged({ type: "added", object: pod })
    states.podChanged({ type: "updated", old: pod, object: { ...pod, status: { phase: "Running" } } })
    expect(states.get("a")?.requested[0]).toBe(100)
    const resized = testPod("p", { ...cpu(300), on: "a" })
    states.podChanged({ type: "updated", old: pod, object: { ...resized, metadata: { ...resized.metadata, generation: 2 } } })
    expect(states.get("a")?.requested[0]).toBe(300)
  })

  test("a pod that is on its way out, or has other labels, or was given more, counts otherwise", () => {
    const states = withNode()
    const pod = testPod("p", { ...cpu(100), on: "a", labels: { app: "x" } })
    states.podChanged({ type: "added", object: pod })
    const kinds = () => [...states.placed.kinds.all()].map(({ labels, isDeleting }) => `${labels.app} ${isDeleting}`)
    const renamed = { ...pod, metadata: { ...pod.metadata, labels: { app: "y" } } }
    states.podChanged({ type: "updated", old: pod, object: renamed })
    expect(kinds()).toEqual(["y false"])
    const leaving = { ...renamed, metadata: { ...renamed.metadata, deletionTimestamp: "2026-01-05T09:00:00Z" } }
    states.podChanged({ type: "updated", old: renamed, object: leaving })
    expect(kinds()).toEqual(["y true"])
    const resources = { requests: { cpu: "700m" } }
    const containerStatuses = [{ name: "a", image: "a", imageID: "", ready: true, restartCount: 0, resources }]
    const given = { ...leaving, status: { containerStatuses } }
    states.podChanged({ type: "updated", old: leaving, object: given })
    expect(states.get("a")?.requested[0]).toBe(700)
    states.podChanged({ type: "updated", old: given, object: leaving })
    expect(states.get("a")?.requested[0]).toBe(100)
  })

  test("of two pods with one port on two addresses each takes its own away", () => {
    const states = withNode()
    const listens = (name: string, hostIP: string) =>
      testPod(name, {
        spec: { nodeName: "a", containers: [{ name: "a", image: "a", ports: [{ containerPort: 80, hostPort: 80, hostIP }] }] },
      })
    for (const object of [listens("p", "10.0.0.1"), listens("q", "10.0.0.2")]) states.podChanged({ type: "added", object })
    states.podChanged({ type: "deleted", object: listens("p", "10.0.0.1"), finalStateUnknown: false })
    const isFree = (address: string) => states.get("a")?.ports.areFree([{ port: "TCP 80", address }])
    expect([isFree("10.0.0.1"), isFree("10.0.0.2")]).toEqual([true, false])
  })

  test("pods of a node that goes and comes back still count", () => {
    const states = withNode()
    states.podChanged({ type: "added", object: testPod("p", { ...cpu(100), on: "a" }) })
    states.nodeChanged({ type: "deleted", object: testNode("a"), finalStateUnknown: false })
    expect([states.list(), states.get("a")]).toEqual([[], undefined])
    states.nodeChanged({ type: "added", object: testNode("a") })
    expect(states.get("a")?.requested[0]).toBe(100)
  })

  test("a restart clears everything", () => {
    const states = withNode()
    states.podChanged({ type: "added", object: testPod("p", { on: "a" }) })
    states.restart()
    states.nodeChanged({ type: "added", object: testNode("a") })
    expect([states.get("a")?.podCount, [...states.placed.kinds.all()]]).toEqual([0, []])
  })

  test("what is said without some pods leaves all as it was", () => {
    const states = withNode()
    const pod = testPod("p", { ...cpu(100), on: "a", spec: { nodeName: "a", priority: 5 } })
    states.podChanged({ type: "added", object: pod })
    expect(states.without([podFacts(pod, states.slots)], () => states.get("a")?.podCount)).toBe(0)
    expect([states.get("a")?.podCount, states.get("a")?.requested[0], states.placed.hasBelow(6), states.placed.hasBelow(5)]).toEqual([
      1,
      100,
      true,
      false,
    ])
  })
})

test("all images of all nodes were gone over for every pod: how many nodes have one is counted when a node changes", () => {
  const states = new NodeStates()
  const having = (name: string, ...images: readonly (readonly string[])[]) => ({
    ...testNode(name),
    status: { images: images.map((names) => ({ names, sizeBytes: 1000 })) },
  })
  const counts = () => ["web:1", "web@sha256:1", "db:1"].map((image) => states.nodesWith(image))
  const old = having("a", ["web:1", "web@sha256:1"], ["db:1"])
  states.nodeChanged({ type: "added", object: old })
  states.nodeChanged({ type: "added", object: having("b", ["web:1"], ["web:1"]) })
  expect(counts()).toEqual([2, 1, 1])
  expect(states.get("a")?.images.get("db:1")).toBe(1000)
  const object = having("a", ["web:1"])
  states.nodeChanged({ type: "updated", old, object })
  expect(counts()).toEqual([2, 0, 0])
  states.nodeChanged({ type: "deleted", object, finalStateUnknown: false })
  expect(counts()).toEqual([1, 0, 0])
  states.restart()
  expect(counts()).toEqual([0, 0, 0])
})
