import { expect, test } from "vitest"
import { allDescriptors } from "./descriptors.ts"
import { schemaTexts } from "./generated/all.schema.ts"
import type {
  Field,
  LabelSelector,
  LabelSelectorRequirement,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  Schema,
} from "./index.ts"
import { schemaOf, schemaOfType } from "./schemas.ts"

const pod = schemaOf({ group: "", version: "v1", kind: "Pod" })
const deployment = schemaOf({ group: "apps", version: "v1", kind: "Deployment" })

/** "spec.containers.ports": steps into lists and maps by itself. */
function fieldAt(schema: Schema | undefined, path: string): Field {
  const found = path
    .split(".")
    .reduce<Field>((field, name) => elementOf(field.schema).fields?.[name] as Field, { schema: schema as Schema })
  expect(found, path).toBeDefined()
  return found
}

function elementOf(schema: Schema): Schema {
  return schema.items === undefined ? schema : elementOf(schema.items)
}

test.each<[schema: Schema | undefined, path: string, field: object]>([
  [
    pod,
    "spec.containers",
    { required: true, patchStrategy: ["merge"], patchMergeKey: "name", schema: { listType: "map", listMapKeys: ["name"] } },
  ],
  [
    pod,
    "spec.containers.ports",
    { patchMergeKey: "containerPort", schema: { listType: "map", listMapKeys: ["containerPort", "protocol"] } },
  ],
  [pod, "spec.containers.ports.protocol", { default: "TCP", schema: { type: "string", enum: ["SCTP", "TCP", "UDP"] } }],
  [pod, "spec.containers.ports.containerPort", { required: true, default: 0, schema: { type: "integer", format: "int32" } }],
  [pod, "spec.containers.resources.limits", { schema: { type: "map", items: { type: "string", format: "quantity" } } }],
  [pod, "spec.containers.livenessProbe.httpGet.port", { required: true, schema: { format: "int-or-string" } }],
  [pod, "spec.volumes", { patchStrategy: ["merge", "retainKeys"], patchMergeKey: "name" }],
  [pod, "spec.nodeSelector", { schema: { type: "map", mapType: "atomic", items: { type: "string" } } }],
  [pod, "spec.tolerations", { schema: { type: "list", listType: "atomic" } }],
  [pod, "metadata.finalizers", { patchStrategy: ["merge"], schema: { type: "list", listType: "set" } }],
  [pod, "metadata.managedFields.fieldsV1", { schema: { type: "any", name: "FieldsV1" } }],
  [pod, "metadata.creationTimestamp", { schema: { type: "string", format: "date-time" } }],
  [deployment, "spec.strategy", { patchStrategy: ["retainKeys"], default: {} }],
  [deployment, "spec.selector", { required: true, schema: { name: "LabelSelector", mapType: "atomic" } }],
  [deployment, "spec.strategy.rollingUpdate.maxSurge", { schema: { format: "int-or-string" } }],
  [deployment, "spec.template.spec.containers", { patchMergeKey: "name" }],
  [schemaOf({ group: "", version: "v1", kind: "Secret" }), "data", { schema: { type: "map", items: { type: "string", format: "byte" } } }],
  [schemaOf({ group: "", version: "v1", kind: "PersistentVolume" }), "spec.claimRef", { schema: { type: "object", mapType: "granular" } }],
  [schemaOf({ group: "coordination.k8s.io", version: "v1", kind: "Lease" }), "spec.renewTime", { schema: { format: "micro-time" } }],
  [schemaOf({ group: "metrics.k8s.io", version: "v1beta1", kind: "PodMetrics" }), "window", { schema: { format: "duration" } }],
  [schemaOf({ group: "apps", version: "v1", kind: "ControllerRevision" }), "data", { schema: { type: "any", name: "RawExtension" } }],
])("%#: %s", (schema, path, field) => {
  expect(fieldAt(schema, path)).toMatchObject(field)
})

test("enum values may have spaces", () => {
  const request = schemaOf({ group: "certificates.k8s.io", version: "v1", kind: "CertificateSigningRequest" })
  expect(elementOf(fieldAt(request, "spec.usages").schema).enum).toContain("digital signature")
})

test("a kind has apiVersion and kind, other types only where upstream has", () => {
  expect(Object.keys(deployment?.fields ?? {})).toEqual(["apiVersion", "kind", "metadata", "spec", "status"])
  expect(fieldAt(deployment, "spec").schema.fields).not.toHaveProperty("kind")
  expect(Object.keys(schemaOf({ group: "", version: "v1", kind: "WatchEvent" })?.fields ?? {})).toEqual(["object", "type"])
})

test("a type is one object wherever it is used", () => {
  expect(fieldAt(pod, "spec").schema).toBe(fieldAt(deployment, "spec.template.spec").schema)
  expect(schemaOf({ group: "", version: "v1", kind: "Pod" })).toBe(pod)
  expect(schemaOfType("io.k8s.api.core.v1.Pod")).toBe(pod)
})

test("a recursive type holds itself", () => {
  const props = schemaOfType("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps")
  expect(fieldAt(props, "properties").schema.items).toBe(props)
  expect(fieldAt(props, "additionalProperties").schema).toMatchObject({ type: "any", name: "JSONSchemaPropsOrBool" })
})

test("a field name from outside never finds what every object inherits", () => {
  expect(pod?.fields?.constructor).toBeUndefined()
})

test.each([
  ["", "v1", "Status"],
  ["", "v1", "List"],
  ["", "v1", "Binding"],
  ["", "v1", "APIResourceList"],
  ["", "v1", "PodExecOptions"],
  ["", "v1", "DeleteOptions"],
  ["batch", "v1", "DeleteOptions"],
  ["example.com", "v1", "DeleteOptions"],
  ["policy", "v1", "Eviction"],
  ["autoscaling", "v1", "Scale"],
  ["authentication.k8s.io", "v1", "TokenRequest"],
  ["meta.k8s.io", "v1", "Table"],
  ["meta.k8s.io", "v1", "PartialObjectMetadata"],
])("bodies without a resource are reachable: %s/%s %s", (group, version, kind) => {
  expect(schemaOf({ group, version, kind })).toMatchObject({ type: "object", name: kind })
})

test.each([
  ["", "v1", "PodSpec"],
  ["", "v1", "Deployment"],
  ["example.com", "v1", "Widget"],
  ["apps", "v1", "Status"],
  ["", "v1", "Table"],
  ["", "v1", "constructor"],
])("what is not a kind there has no schema: %s/%s %s", (group, version, kind) => {
  expect(schemaOf({ group, version, kind })).toBeUndefined()
})

test("every resource, its list and the bodies of its subresources have a schema", () => {
  const missing = allDescriptors.flatMap(({ group, version, kind, verbs, subresources }) => {
    const others = subresources.flatMap((sub) => sub.kind ?? []).map((path) => path.split("/").reverse())
    const bodies = others.map(([kind = "", version = "", group = ""]) => ({ group, version, kind }))
    const lists = verbs.includes("list") ? [{ group, version, kind: `${kind}List` }] : []
    return [{ group, version, kind }, ...lists, ...bodies].filter((gvk) => schemaOf(gvk) === undefined)
  })
  expect(missing).toEqual([])
})

test("every type of every text can be decoded, and nothing is lost on the way", () => {
  const types = schemaTexts.flatMap(([, text]) => {
    const [first = "", ...lines] = text.trimEnd().split("\n")
    return lines.map((line) => ({ id: `${first.split(" ")[1]}.${line.split(":")[0]}`, line }))
  })
  const fields = types.map(({ id, line }) => {
    const schema = schemaOfType(id)
    expect(`${schema?.package}.${schema?.name}`).toBe(id)
    const implied = / @/.test(line) && !id.endsWith(".WatchEvent") ? 2 : 0
    expect(Object.keys(schema?.fields ?? {}), id).toHaveLength(line.split(" ").filter((word) => /.:./.test(word)).length + implied)
    return Object.keys(schema?.fields ?? {}).length
  })
  expect(types.length).toBeGreaterThan(570)
  expect(fields.reduce((sum, count) => sum + count)).toBeGreaterThan(2500)
})

/** The compiler keeps each list equal to its type, the test keeps it equal to the generated schema. */
const byHand = {
  ObjectMeta: names<ObjectMeta>()({
    name: 1,
    generateName: 1,
    namespace: 1,
    uid: 1,
    resourceVersion: 1,
    generation: 1,
    creationTimestamp: 1,
    deletionTimestamp: 1,
    deletionGracePeriodSeconds: 1,
    labels: 1,
    annotations: 1,
    ownerReferences: 1,
    finalizers: 1,
    managedFields: 1,
    selfLink: 1,
  }),
  OwnerReference: names<OwnerReference>()({ apiVersion: 1, kind: 1, name: 1, uid: 1, controller: 1, blockOwnerDeletion: 1 }),
  ManagedFieldsEntry: names<ManagedFieldsEntry>()({
    manager: 1,
    operation: 1,
    apiVersion: 1,
    time: 1,
    fieldsType: 1,
    fieldsV1: 1,
    subresource: 1,
  }),
  ListMeta: names<ListMeta>()({ resourceVersion: 1, continue: 1, remainingItemCount: 1, selfLink: 1, shardInfo: 1 }),
  LabelSelector: names<LabelSelector>()({ matchLabels: 1, matchExpressions: 1 }),
  LabelSelectorRequirement: names<LabelSelectorRequirement>()({ key: 1, operator: 1, values: 1 }),
}

function names<T>() {
  return (fields: Record<keyof T, 1>): string[] => Object.keys(fields).sort()
}

test.each(Object.entries(byHand))("%s in meta.ts has exactly the fields of the generated schema", (name, fields) => {
  expect(Object.keys(schemaOfType(`io.k8s.apimachinery.pkg.apis.meta.v1.${name}`)?.fields ?? {}).sort()).toEqual(fields)
})
