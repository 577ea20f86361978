import { describe, expect, test } from "vitest"
import { deepFreeze } from "../../meta/freeze.ts"
import { schemaOf } from "../../schemas.ts"
import { podSchema } from "../testing/schemas.ts"
import { diffStrategicMerge } from "./diff.ts"
import { applyStrategicMerge } from "./merge.ts"

type Value = Record<string, unknown>

const order = (...names: string[]) => names.map((name) => ({ name }))

describe("the difference of two objects", () => {
  test.each<[string, Value, Value, Value]>([
    ["nothing", { replicas: 1, containers: order("a", "b") }, { containers: order("a", "b"), replicas: 1 }, {}],
    [
      "a value added, changed, removed",
      { replicas: 1, nodeSelector: {} },
      { replicas: 2, opaque: 1 },
      { replicas: 2, opaque: 1, nodeSelector: null },
    ],
    ["nested", { nodeSelector: { a: "1", b: "2" } }, { nodeSelector: { a: "1", c: "3" } }, { nodeSelector: { b: null, c: "3" } }],
    ["another type", { nodeSelector: { a: "1" } }, { nodeSelector: "x" }, { nodeSelector: "x" }],
    [
      "a list without strategy, whole",
      { tolerations: [{ key: "a" }, { key: "b" }] },
      { tolerations: [{ key: "b" }] },
      { tolerations: [{ key: "b" }] },
    ],
    [
      "an object to replace, whole",
      { affinity: { zone: "a", host: "b" } },
      { affinity: { zone: "c", host: "b" } },
      { affinity: { zone: "c", host: "b" } },
    ],
    [
      "an element changed",
      { containers: [{ name: "a", image: "1" }, { name: "b" }] },
      { containers: [{ name: "a", image: "2" }, { name: "b" }] },
      { containers: [{ name: "a", image: "2" }], "$setElementOrder/containers": order("a", "b") },
    ],
    [
      "an element added in the middle",
      { containers: order("a", "c") },
      { containers: order("a", "b", "c") },
      { containers: order("b"), "$setElementOrder/containers": order("a", "b", "c") },
    ],
    [
      "an element removed",
      { containers: order("a", "b") },
      { containers: order("b") },
      { containers: [{ name: "a", $patch: "delete" }], "$setElementOrder/containers": order("b") },
    ],
    [
      "all elements removed",
      { containers: order("b", "a") },
      { containers: [] },
      {
        containers: [
          { name: "a", $patch: "delete" },
          { name: "b", $patch: "delete" },
        ],
      },
    ],
    ["the first elements", { containers: [] }, { containers: order("b", "a") }, { containers: order("b", "a") }],
    [
      "the order alone",
      { containers: order("a", "b") },
      { containers: order("b", "a") },
      { "$setElementOrder/containers": order("b", "a") },
    ],
    [
      "a list in an element",
      { containers: [{ name: "a", env: [{ name: "x", value: "1" }, { name: "y" }] }] },
      { containers: [{ name: "a", env: [{ name: "y" }] }] },
      {
        containers: [{ name: "a", env: [{ name: "x", $patch: "delete" }], "$setElementOrder/env": order("y") }],
        "$setElementOrder/containers": order("a"),
      },
    ],
    [
      "a union that changes its kind",
      { rollout: { type: "a", partition: 1 } },
      { rollout: { type: "b" } },
      { rollout: { type: "b", partition: null, $retainKeys: ["type"] } },
    ],
    [
      "a union in a list",
      { volumes: [{ name: "v", emptyDir: {} }] },
      { volumes: [{ name: "v", configMap: { name: "c" } }] },
      {
        volumes: [{ name: "v", emptyDir: null, configMap: { name: "c" }, $retainKeys: ["configMap", "name"] }],
        "$setElementOrder/volumes": order("v"),
      },
    ],
    ["an unknown field that is the same", { invented: { a: [1] } }, { invented: { a: [1] } }, {}],
  ])("%s", (_name, before, after, patch) => {
    expect(diffStrategicMerge(deepFreeze({ spec: before }), deepFreeze({ spec: after }), podSchema)).toEqual(
      Object.keys(patch).length === 0 ? {} : { spec: patch },
    )
    expect(applyStrategicMerge({ spec: before }, { spec: patch }, podSchema)).toEqual({ spec: after })
  })

  test.each<[string, string[], string[], Value]>([
    ["an element added", ["a", "c"], ["a", "b", "c"], { finalizers: ["b"], "$setElementOrder/finalizers": ["a", "b", "c"] }],
    ["an element removed", ["b", "a"], ["b"], { "$deleteFromPrimitiveList/finalizers": ["a"], "$setElementOrder/finalizers": ["b"] }],
    ["all elements removed", ["b", "a"], [], { "$deleteFromPrimitiveList/finalizers": ["a", "b"] }],
    ["another order", ["b", "a"], ["a", "b"], { "$setElementOrder/finalizers": ["a", "b"] }],
  ])("a set of primitives: %s", (_name, before, after, patch) => {
    expect(diffStrategicMerge({ metadata: { finalizers: before } }, { metadata: { finalizers: after } }, podSchema)).toEqual({
      metadata: patch,
    })
    expect(applyStrategicMerge({ metadata: { finalizers: before } }, { metadata: patch }, podSchema)).toEqual({
      metadata: { finalizers: after },
    })
  })

  test("two ports of one number are distinguished by their place, not merged into one", () => {
    const ports = (protocols: string[]) => ({
      spec: { containers: [{ name: "a", ports: protocols.map((protocol) => ({ containerPort: 53, protocol })) }] },
    })
    expect(diffStrategicMerge(ports(["UDP", "TCP"]), ports(["UDP", "TCP"]), podSchema)).toEqual({})
    const patch = diffStrategicMerge(ports(["UDP", "TCP"]), ports(["UDP"]), podSchema)
    expect(patch).toMatchObject({
      spec: {
        containers: [
          {
            ports: [
              { containerPort: 53, protocol: "UDP" },
              { containerPort: 53, $patch: "delete" },
            ],
          },
        ],
      },
    })
  })
})

describe("refuses", () => {
  test.each<[string, Value, Value, string]>([
    [
      "an unknown object that changed",
      { invented: {} },
      { invented: { a: 1 } },
      'unable to find api field in struct PodSpec for the json field "invented"',
    ],
    [
      "lists in a map that changed",
      { extra: { a: ["x"] } },
      { extra: { a: ["y"] } },
      "merging an object in json but data type is not struct, instead is: map",
    ],
    [
      "an element without merge key",
      { containers: [{ image: "x" }] },
      { containers: order("a") },
      "map: map[image:x] does not contain declared merge key: name",
    ],
    [
      "elements of several types",
      { containers: [{ name: "a" }] },
      { containers: ["a"] },
      "list element types are not identical: [[map[name:a]] [a]]",
    ],
    ["directives that are no words", { rollout: { $patch: 1 } }, { rollout: { $patch: 2 } }, "invalid value for special key: $patch"],
  ])("%s", (_name, before, after, message) => {
    expect(() => diffStrategicMerge({ spec: before }, { spec: after }, podSchema)).toThrow(message)
  })
})

test("a real kind: one image of a Deployment is one line of patch", () => {
  const schema = schemaOf({ group: "apps", version: "v1", kind: "Deployment" })!
  const deployment = (image: string) => ({
    spec: { template: { spec: { containers: [{ name: "web", image, ports: [{ containerPort: 80 }] }] } } },
  })
  expect(diffStrategicMerge(deployment("nginx:1"), deployment("nginx:2"), schema)).toEqual({
    spec: { template: { spec: { containers: [{ name: "web", image: "nginx:2" }], "$setElementOrder/containers": [{ name: "web" }] } } },
  })
})
