import type { ConfigMap, Namespace } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { decide } from "./controller.ts"

const annotation = "kubernetes.io/description"

function namespace(phase: "Active" | "Terminating" = "Active"): Namespace {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" }, status: { phase } }
}

function configMap(data: Record<string, string>, annotations: Record<string, string> = { [annotation]: "what it is for" }): ConfigMap {
  const metadata = { name: "kube-root-ca.crt", namespace: "shop", resourceVersion: "3", annotations }
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data }
}

test.each<[name: string, namespace: Namespace, found: ConfigMap | undefined, expected: string]>([
  ["create new namespace; delete ca configmap", namespace(), undefined, "create"],
  ["update ca configmap with adding field", namespace(), configMap({ "ca.crt": "CA", more: "x" }), "update"],
  ["update ca configmap with modifying field", namespace(), configMap({ "ca.crt": "other" }), "update"],
  ["update namespace with terminating state", namespace("Terminating"), undefined, ""],
  ["update-configmap-annotation", namespace(), configMap({ "ca.crt": "CA" }, {}), "update"],
  ["no-update-configmap-if-annotation-present-and-different", namespace(), configMap({ "ca.crt": "CA" }), ""],
])("%s", (_name, where, found, expected) => {
  const operations = decide({ namespace: where, configMap: found }, "CA").steps.flatMap((step) => step.operations)
  expect(operations.map((operation) => operation.do).join()).toBe(expected)
})

test("what is written has the CA and nothing else, and keeps the annotations of others", () => {
  const found = configMap({ "ca.crt": "old", more: "x" }, { theirs: "1" })
  const [operation] = decide({ namespace: namespace(), configMap: found }, "CA").steps.flatMap((step) => step.operations)
  expect(operation).toMatchObject({
    do: "update",
    object: {
      data: { "ca.crt": "CA" },
      metadata: { resourceVersion: "3", annotations: { theirs: "1", [annotation]: expect.stringContaining("CA bundle") } },
    },
  })
})

test("no-update-configmap-if-annotation-present-and-equal: what was written is not written again", () => {
  const [made] = decide({ namespace: namespace() }, "CA").steps.flatMap((step) => step.operations)
  const found = made?.do === "create" ? (made.object as ConfigMap) : undefined
  expect(decide({ namespace: namespace(), configMap: found }, "CA").steps).toEqual([])
})

test("without a CA nothing is published, and it says why", () => {
  expect(decide({ namespace: namespace() }, undefined)).toMatchObject({ steps: [], summary: "no root CA is known: set --root-ca-file" })
})
