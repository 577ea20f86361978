import { schemaOf } from "@pilothouse/api/schemas"
import { describe, expect, test } from "vitest"
import { createdSet } from "./index.ts"

const deployment = schemaOf({ group: "apps", version: "v1", kind: "Deployment" })!
const configMap = schemaOf({ group: "", version: "v1", kind: "ConfigMap" })!
const role = schemaOf({ group: "rbac.authorization.k8s.io", version: "v1", kind: "Role" })!

const web = {
  metadata: { labels: { app: "web" } },
  spec: {
    selector: { matchLabels: { app: "web" } },
    strategy: { type: "Recreate" },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        containers: [
          {
            name: "main",
            image: "web:1",
            resources: {},
            ports: [
              { containerPort: 443, protocol: "TCP" },
              { containerPort: 80, protocol: "TCP" },
            ],
          },
        ],
      },
    },
  },
  status: {},
}

test("structs of Go's empty object are not owned themselves, maps, pointers and items are", () => {
  const labels = { "f:labels": { ".": {}, "f:app": {} } }
  const port = { ".": {}, "f:containerPort": {}, "f:protocol": {} }
  const ports = { ".": {}, 'k:{"containerPort":80,"protocol":"TCP"}': port, 'k:{"containerPort":443,"protocol":"TCP"}': port }
  const container = { ".": {}, "f:image": {}, "f:name": {}, "f:ports": ports, "f:resources": {} }
  const template = { "f:metadata": labels, "f:spec": { "f:containers": { 'k:{"name":"main"}': container } } }
  const spec = { "f:selector": {}, "f:strategy": { "f:type": {} }, "f:template": template }
  // As text: the order counts.
  expect(JSON.stringify(createdSet(web, deployment))).toBe(JSON.stringify({ "f:metadata": labels, "f:spec": spec }))
})

describe("a created object owns", () => {
  test.each([
    ["keys of a map", configMap, { data: { b: "1", a: "2" } }, { "f:data": { ".": {}, "f:a": {}, "f:b": {} } }],
    ["nothing of an object that says nothing", configMap, { metadata: {} }, {}],
    ["a map that is empty", configMap, { data: {} }, { "f:data": {} }],
    [
      "a key that every object inherits",
      configMap,
      { data: JSON.parse('{"__proto__":"x"}') },
      { "f:data": { ".": {}, "f:__proto__": {} } },
    ],
    ["no list that Go writes as null", role, { metadata: {} }, {}],
    ["a list that Go has as null before", role, { metadata: {}, rules: [{ verbs: ["get"] }] }, { "f:rules": {} }],
    [
      "an item that is there twice as a whole",
      deployment,
      { spec: containers("a", "b", "a") },
      { "f:spec": template(["a", {}], ["b", named]) },
    ],
  ])("%s", (_title, schema, value, expected) => {
    expect(createdSet(value, schema)).toEqual(expected)
  })
})

const named = { ".": {}, "f:name": {} }

function containers(...names: readonly string[]): object {
  return { template: { spec: { containers: names.map((name) => ({ name })) } } }
}

function template(...items: readonly (readonly [name: string, node: object])[]): object {
  const nodes = items.map(([name, node]) => [`k:{"name":"${name}"}`, node] as const)
  return { "f:template": { "f:spec": { "f:containers": Object.fromEntries(nodes) } } }
}

test("objects of one shape share one frozen set", () => {
  const first = createdSet(web, deployment)
  const second = createdSet(structuredClone(web), deployment)
  expect(second).toBe(first)
  expect(Object.isFrozen(first["f:spec"])).toBe(true)
})

test("objects of one shape share one frozen set after many of a shape of their own", () => {
  for (let number = 0; number < 1000; number++) createdSet({ spec: containers(`own-${number}`) }, deployment)
  const first = createdSet({ spec: containers("main") }, deployment)
  expect(first).toEqual({ "f:spec": template(["main", named]) })
  expect(createdSet({ spec: containers("main") }, deployment)).toBe(first)
})
