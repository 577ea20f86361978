import type { KubeObject } from "@pilothouse/api"
import type { Deployment } from "@pilothouse/api/apps/v1"
import type { ConfigMap } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import type { ObjectRef } from "./plan.ts"
import { plan } from "./plan-builder.ts"

const deployment: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: {}, template: {} },
}
const configMap: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } }
const reference: ObjectRef = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" } }
const unknownObject: KubeObject = reference

test("a patch says any part of the object, and null where something is to go", () => {
  const made = plan()
    .patch(deployment, { metadata: { annotations: { "example.com/a": null } }, spec: { replicas: 0 } }, "it is night")
    .patch(configMap, { data: { colour: "blue", shade: null } }, "it is blue")
    .patch(configMap, { data: null }, "it is empty")
  expect(made.steps[0]?.operations).toHaveLength(3)
})

test("the compiler finds what the object does not have", () => {
  // @ts-expect-error a field of another name
  plan().patch(deployment, { spec: { replicsa: 0 } }, "a slip")
  // @ts-expect-error a number, not a text
  plan().patch(deployment, { spec: { replicas: "0" } }, "a slip")
  // @ts-expect-error a field of another name
  plan().status(deployment, { readyReplics: 1 }, "a slip")
  expect(plan().status(deployment, { readyReplicas: 1 }, "it is so").steps[0]?.operations).toHaveLength(1)
})

test("of an object whose type says nothing more, and in patches of other types, anything may stand", () => {
  const made = plan()
    .patch(reference, { spec: { nodeName: null } }, "its type is unknown")
    .patch(unknownObject, { spec: { anything: 1 } }, "its type is unknown")
    .status(unknownObject, { anything: 1 }, "its type is unknown")
    .patch(deployment, [{ op: "remove", path: "/spec/replicas" }], "paths", { type: "json" })
    .patch(deployment, { spec: { template: { spec: { containers: [{ $patch: "delete", name: "web" }] } } } }, "directives", {
      type: "strategic",
    })
  expect(made.steps[0]?.operations).toHaveLength(5)
})
