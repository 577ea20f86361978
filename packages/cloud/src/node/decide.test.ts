import type { Node } from "@pilothouse/api/core/v1"
import type { Plan } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { newNode } from "../testing/node-cluster.ts"
import { decide } from "./decide.ts"
import { uninitializedTaint } from "./uninitialized.ts"

const instance = { providerId: "memory:///1", addresses: [{ type: "InternalIP" as const, address: "10.0.0.1" }] }
const taints = [{ key: uninitializedTaint, value: "true", effect: "NoSchedule" as const }]

function decided(node: Partial<Node>, said: Parameters<typeof decide>[0]["instance"] = instance): Plan {
  return decide({ node: newNode("n", node), instance: said, nextIn: 300_000 })
}

function patches({ steps }: Plan): readonly unknown[] {
  return steps.flatMap(({ operations }) => operations.map((operation) => "patch" in operation && operation.patch))
}

test("a provider ID that is there is never replaced", () => {
  const [patch] = patches(decided({ spec: { taints, providerID: "memory:///own" } }))
  expect(patch).toMatchObject({ spec: { taints: [] } })
  expect(patch).not.toHaveProperty("spec.providerID")
})

test("a machine without provider ID was initialised, and never got one", () => {
  const unnamed = { ...instance, providerId: "" }
  expect(() => decided({ spec: { taints } }, unnamed)).toThrow("cloud provider does not set node provider ID for node n")
  expect(patches(decided({ spec: { taints, providerID: "memory:///own" } }, unnamed))).toMatchObject([{ spec: { taints: [] } }, {}])
})

test("the first write names its version, so that no concurrent taint is lost", () => {
  const [patch] = patches(decided({ metadata: { resourceVersion: "7" }, spec: { taints } }))
  expect(patch).toMatchObject({ metadata: { resourceVersion: "7" }, spec: { providerID: "memory:///1" } })
})

test("a node in use that shows all that the cloud says is not written, and looked at when it is due", () => {
  const plan = decided({ status: { addresses: instance.addresses } })
  expect([patches(plan), plan.requeue?.after]).toEqual([[], 300_000])
})

test("a cloud that says no address takes none away", () => {
  expect(patches(decided({ status: { addresses: instance.addresses } }, { ...instance, addresses: [] }))).toEqual([])
})

test("a label of the user's was replaced by the cloud's own once the node was in use", () => {
  const additionalLabels = { "example.com/rack": "8", "example.com/row": "2" }
  const labels = { "example.com/rack": "7" }
  expect(patches(decided({ metadata: { labels } }, { ...instance, addresses: [], additionalLabels }))).toEqual([])
})
