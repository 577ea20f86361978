import { expect, test } from "vitest"
import { schemaOf, schemaOfType } from "../schemas.ts"
import { goFormOf } from "./go-form.ts"

const form = (name: string) => goFormOf(schemaOfType(name)!)

test("what Go leaves out when it is zero", () => {
  const { omitsZero } = form("io.k8s.api.core.v1.PodSpec")
  expect(omitsZero.has("hostNetwork")).toBe(true)
  // A pointer, and a list.
  expect(omitsZero.has("automountServiceAccountToken")).toBe(false)
  expect(omitsZero.has("containers")).toBe(false)
})

test("what Go always writes, a new value each time", () => {
  const { always } = form("io.k8s.api.core.v1.NodeStatus")
  expect(always.map(({ name }) => name)).toEqual(["daemonEndpoints", "nodeInfo"])
  expect(always[0]?.zero()).toEqual({ kubeletEndpoint: { Port: 0 } })
  expect(always[0]?.zero()).not.toBe(always[0]?.zero())
})

test("what Go writes as null", () => {
  expect(form("io.k8s.api.core.v1.PodCondition").nulls).toEqual(["lastProbeTime", "lastTransitionTime"])
  expect(form("io.k8s.api.core.v1.TypedLocalObjectReference").nulls).toEqual(["apiGroup"])
  expect(goFormOf(schemaOf({ group: "rbac.authorization.k8s.io", version: "v1", kind: "Role" })!).nulls).toEqual(["rules"])
})

test("embedded structs count among the fields; unions and opaque values have no form", () => {
  expect(form("io.k8s.api.core.v1.Volume").omitsZero.size).toBe(0)
  expect(form("io.k8s.api.core.v1.ConfigMapVolumeSource").omitsZero.has("name")).toBe(true)
  expect(goFormOf({ type: "object", name: "Thing", package: "test.v1" })).toEqual({ omitsZero: new Set(), always: [], nulls: [] })
})
