import { expect, test } from "vitest"
import { allDescriptors, descriptorFor, descriptorForResource, descriptorsOfKind } from "./descriptors.ts"
import { type Deployment, deployments, statefulSets } from "./generated/apps/v1.ts"
import { pods as podsResource, services } from "./generated/core/v1.ts"
import { podMetrics } from "./generated/metrics/v1beta1.ts"
import { apiVersionOf, type Descriptor } from "./index.ts"

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]

test("a descriptor says everything that discovery says", () => {
  expect(deployments).toEqual({
    group: "apps",
    version: "v1",
    kind: "Deployment",
    plural: "deployments",
    singular: "deployment",
    shortNames: ["deploy"],
    categories: ["all"],
    namespaced: true,
    verbs,
    subresources: [
      { name: "scale", kind: "autoscaling/v1/Scale", verbs: ["get", "patch", "update"] },
      { name: "status", verbs: ["get", "patch", "update"] },
    ],
  })
})

test("a descriptor carries the type of its objects", () => {
  const deployment: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { selector: {}, template: { spec: { containers: [{ name: "web", ports: [{ containerPort: 80, protocol: "TCP" }] }] } } },
  }
  const typed: Descriptor<Deployment> = deployments
  // @ts-expect-error a Pod's descriptor is not a Deployment's
  const wrong: Descriptor<Deployment> = podsResource
  expect([typed.kind, wrong.kind, deployment.kind]).toEqual(["Deployment", "Pod", "Deployment"])
})

test.each([
  ["", "v1", "pods", { shortNames: ["po"], namespaced: true, categories: ["all"] }],
  ["", "v1", "nodes", { shortNames: ["no"], namespaced: false, singular: "node" }],
  ["", "v1", "namespaces", { namespaced: false, verbs: verbs.filter((verb) => verb !== "deletecollection") }],
  ["", "v1", "endpoints", { kind: "Endpoints", singular: "endpoints", shortNames: ["ep"] }],
  ["", "v1", "componentstatuses", { verbs: ["get", "list"] }],
  ["apiextensions.k8s.io", "v1", "customresourcedefinitions", { shortNames: ["crd", "crds"], categories: ["api-extensions"] }],
  ["authorization.k8s.io", "v1", "subjectaccessreviews", { verbs: ["create"], subresources: [] }],
  ["networking.k8s.io", "v1", "networkpolicies", { kind: "NetworkPolicy", singular: "networkpolicy", shortNames: ["netpol"] }],
  ["metrics.k8s.io", "v1beta1", "pods", { kind: "PodMetrics", verbs: ["get", "list"] }],
])("%s/%s %s", (group, version, plural, expected) => {
  expect(descriptorForResource({ group, version, plural })).toMatchObject(expected)
})

test("subresources name the kind of their bodies where it is another", () => {
  const kinds = Object.fromEntries(podsResource.subresources.map((sub) => [sub.name, sub.kind]))
  expect(kinds).toMatchObject({ binding: "v1/Binding", eviction: "policy/v1/Eviction", log: undefined, exec: "v1/PodExecOptions" })
  expect(services.subresources.map((sub) => sub.name)).toEqual(["proxy", "status"])
})

test("the same object is found in every way", () => {
  expect(descriptorFor({ group: "apps", version: "v1", kind: "StatefulSet" })).toBe(statefulSets)
  expect(descriptorForResource({ group: "", version: "v1", plural: "pods" })).toBe(podsResource)
  expect(allDescriptors).toContain(podMetrics)
})

test("kinds are found in every group and version, the core group first", () => {
  expect(descriptorsOfKind("Event").map(apiVersionOf)).toEqual(["v1", "events.k8s.io/v1"])
  expect(descriptorsOfKind("HorizontalPodAutoscaler").map(apiVersionOf)).toEqual(["autoscaling/v1", "autoscaling/v2"])
})

test("what is unknown is undefined", () => {
  expect(descriptorFor({ group: "example.com", version: "v1", kind: "Widget" })).toBeUndefined()
  expect(descriptorFor({ group: "autoscaling", version: "v1", kind: "Scale" })).toBeUndefined()
  expect(descriptorsOfKind("constructor")).toEqual([])
})

test("no resource and no kind is there twice in a group version", () => {
  const keys = allDescriptors.flatMap((one) => [`${apiVersionOf(one)} ${one.plural}`, `${apiVersionOf(one)} ${one.kind}`])
  expect(new Set(keys).size).toBe(keys.length)
})

test("subpaths of the package lead to the same objects", async () => {
  const apps = await import("@pilothouse/api/apps/v1")
  const all = await import("@pilothouse/api/descriptors")
  expect(apps.deployments).toBe(all.descriptorFor({ group: "apps", version: "v1", kind: "Deployment" }))
  const { schemaOf } = await import("@pilothouse/api/schemas")
  expect(schemaOf(apps.deployments)?.name).toBe("Deployment")
})
