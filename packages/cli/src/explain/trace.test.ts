import type { KubeObject } from "@pilothouse/api"
import { expect, test } from "vitest"
import { isEventful, reconcilesForObject, type TracedReconcile } from "./trace.ts"

const node: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } }

function reconcile(controller: string, key: string, more: Partial<TracedReconcile> = {}): TracedReconcile {
  return { at: "2026-01-05T09:00:00.000000Z", controller, key, causes: [], observed: ["Node node-1@7"], lines: [], results: [], ...more }
}

test("controllers that say before the key what concerns them were left out of an explanation: their looks are about the object too", () => {
  const reconciles = [
    reconcile("node-ipam-controller", "node-1"),
    reconcile("node-lifecycle-controller", "node:node-1"),
    reconcile("garbage-collector", "nodes node-1"),
    reconcile("node-lifecycle-controller", "zone:eu"),
    reconcile("scheduler", "default/web"),
    reconcile("node-lifecycle-controller", "node:node-1", { observed: ["Node node-2@7"] }),
  ]
  expect(reconcilesForObject(reconciles, node).map(({ key }) => key)).toEqual(["node-1", "node:node-1", "nodes node-1"])
})

test("where no controller reconciled it by its own key, shows those that read it", () => {
  expect(reconcilesForObject([reconcile("scheduler", "default/web")], node)).toHaveLength(1)
})

test("leaves out what was done to an earlier object of its name", () => {
  const again: KubeObject = { ...node, metadata: { name: "node-1", creationTimestamp: "2026-01-05T09:10:00Z" } }
  const times = ["09:00:00.000000", "09:09:57.000000", "09:09:59.500000", "09:10:01.000000"]
  const reconciles = times.map((time) => reconcile("c", "node-1", { at: `2026-01-05T${time}Z` }))
  expect(reconcilesForObject(reconciles, again)).toEqual(reconciles.slice(2))
  // A leader whose clock is minutes behind is rather believed than left out.
  expect(reconcilesForObject(reconciles.slice(0, 2), again)).toEqual(reconciles.slice(0, 2))
})

test("what a controller only notes for itself is no event; what it waits for is one", () => {
  const noted = reconcile("c", "node:node-1", { results: [{ do: "remember-heartbeat" }] })
  expect(isEventful(noted)).toBe(false)
  expect(isEventful({ ...noted, results: undefined, plan: { steps: [{ operations: [{ do: "remember-x" }] }], waitingFor: [] } })).toBe(
    false,
  )
  expect(isEventful({ ...noted, results: [{ do: "patch" }] })).toBe(true)
  expect(isEventful({ ...noted, plan: { steps: [], waitingFor: ["its kubelet"] } })).toBe(true)
})

test("includes the controller that created an object without reading it", () => {
  const object: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kube-root-ca.crt", namespace: "default" } }
  const making = (namespace: string, name = "kube-root-ca.crt") => {
    const made = { ...object, metadata: { name, namespace } }
    const plan = { steps: [{ operations: [{ do: "create", object: made }] }], waitingFor: [] }
    return reconcile("root-ca", namespace, { observed: [`Namespace ${namespace}@1`], plan })
  }
  expect(reconcilesForObject([making("default"), making("other"), making("default", "x")], object)).toEqual([making("default")])
})
