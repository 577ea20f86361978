import { expect, test } from "vitest"
import { controllerOf, controllerRef, hasOwner, isControlledBy, ownerRef } from "./owner-references.ts"

const replicaSet = { metadata: { name: "web-1", uid: "u1" } }
const kind = { group: "apps", version: "v1", kind: "ReplicaSet" }
const controlled = {
  metadata: { ownerReferences: [ownerRef({ metadata: { name: "x", uid: "u0" } }, kind), controllerRef(replicaSet, kind)] },
}

test("a controller reference says who manages the object and makes its deletion wait", () => {
  expect(controllerRef(replicaSet, kind)).toEqual({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    name: "web-1",
    uid: "u1",
    controller: true,
    blockOwnerDeletion: true,
  })
  expect(ownerRef(replicaSet, { group: "", version: "v1", kind: "Node" })).toEqual({
    apiVersion: "v1",
    kind: "Node",
    name: "web-1",
    uid: "u1",
  })
})

test("the controller is the owner that says so", () => {
  expect(controllerOf(controlled)?.uid).toBe("u1")
  expect(controllerOf({ metadata: {} })).toBeUndefined()
  expect(controllerOf({ metadata: { ownerReferences: [ownerRef(replicaSet, kind)] } })).toBeUndefined()
})

test("an owner recreated under the same name is another one", () => {
  const again = { metadata: { name: "web-1", uid: "u2" } }
  expect([isControlledBy(controlled, replicaSet), isControlledBy(controlled, again)]).toEqual([true, false])
  expect([hasOwner(controlled, { metadata: { uid: "u0" } }), hasOwner(controlled, again), hasOwner({ metadata: {} }, again)]).toEqual([
    true,
    false,
    false,
  ])
})

test("an object without controller is not controlled by an owner that has no uid yet", () => {
  expect(isControlledBy({ metadata: {} }, { metadata: { name: "new" } })).toBe(false)
})
