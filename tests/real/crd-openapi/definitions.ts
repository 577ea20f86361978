import type { CustomResourceDefinition, CustomResourceDefinitionVersion, JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"

type Version = Partial<CustomResourceDefinitionVersion>
type More = Partial<CustomResourceDefinition["spec"]> & { readonly versions?: readonly CustomResourceDefinitionVersion[] }

const text: JSONSchemaProps = { type: "string" }
const whole: JSONSchemaProps = { type: "integer" }
const open: JSONSchemaProps = { type: "object", "x-kubernetes-preserve-unknown-fields": true }

function object(properties: Readonly<Record<string, JSONSchemaProps>>, more: JSONSchemaProps = {}): JSONSchemaProps {
  return { type: "object", properties, ...more }
}

/** A version whose spec and status have these fields. */
function version(spec: JSONSchemaProps, more: Version = {}): CustomResourceDefinitionVersion {
  return {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: object({ spec, status: object({ replicas: whole, phase: text, selector: text }) }) },
    ...more,
  }
}

function withSchema(openAPIV3Schema: JSONSchemaProps, more: Version = {}): CustomResourceDefinitionVersion {
  return { ...version(text), schema: { openAPIV3Schema }, ...more }
}

function define(kind: string, versions: readonly CustomResourceDefinitionVersion[], more: More = {}): CustomResourceDefinition {
  const group = more.group ?? "shapes.example.com"
  const plural = more.names?.plural ?? `${kind.toLowerCase()}s`
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { scope: "Namespaced", names: { plural, kind }, ...more, group, versions },
  }
}

const of = (kind: string, spec: JSONSchemaProps, more: Version = {}) => define(kind, [version(spec, more)])

const everyWord: JSONSchemaProps = {
  description: "has every word\nof a schema, <b> & all",
  title: "A title",
  externalDocs: { description: "more", url: "https://example.com" },
  example: { a: [1, null, "x"], b: [{ c: [{ d: { e: "true" } }], f: "10.0.0.1" }, [[1], {}], "1:30"], g: "a: b" },
  properties: {
    number: {
      type: "number",
      minimum: 0,
      maximum: 10.5,
      exclusiveMinimum: true,
      exclusiveMaximum: true,
      multipleOf: 0.5,
      format: "double",
    },
    whole: { type: "integer", format: "int32", minimum: -5, default: 3, enum: [1, 2, 3] },
    text: { type: "string", minLength: 1, maxLength: 9, pattern: "^[a-z<>&]*$", default: "abc", format: "password" },
    date: { type: "string", format: "date-time" },
    list: { type: "array", minItems: 1, maxItems: 7, items: { type: "string", description: "an item" }, default: ["a"] },
    map: { type: "object", minProperties: 1, maxProperties: 3, additionalProperties: { type: "integer", format: "int64" } },
    free: { type: "object", additionalProperties: true },
    flag: { type: "boolean", default: false },
    empty: { type: "object" },
    zero: { type: "integer", minimum: 0, maximum: 0, default: 0 },
    blank: { type: "string", default: "", enum: ["", "x"] },
    nested: { type: "object", default: { a: { b: 1 } }, properties: { a: { type: "object", properties: { b: { type: "integer" } } } } },
  },
  required: ["number", "whole"],
  type: "object",
}

const lists: JSONSchemaProps = object({
  atomic: { type: "array", items: text, "x-kubernetes-list-type": "atomic" },
  set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
  keyed: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name", "port"],
    items: object({ name: text, port: whole, more: text }, { required: ["name", "port"] }),
  },
  whole: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: text } },
  parts: { type: "object", "x-kubernetes-map-type": "granular", additionalProperties: text },
  deep: { type: "array", items: { type: "array", items: { type: "array", items: whole } } },
})

const nullables: JSONSchemaProps = object(
  {
    text: { type: "string", nullable: true },
    list: { type: "array", nullable: true, items: { type: "string", nullable: true } },
    map: { type: "object", nullable: true, additionalProperties: { type: "string", nullable: true } },
    object: { ...object({ a: text }, { required: ["a"] }), nullable: true },
    kept: object({ a: { type: "string", nullable: true }, b: text }, { required: ["a", "b"] }),
    only: object({ a: { type: "string", nullable: true } }, { required: ["a"] }),
    defaulted: { type: "string", nullable: true, default: "x" },
  },
  { required: ["text", "kept"] },
)

const preserving: JSONSchemaProps = object({
  open,
  withFields: { ...open, properties: { a: text }, required: ["a"] },
  untyped: { "x-kubernetes-preserve-unknown-fields": true },
  list: { type: "array", items: open },
  openList: { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: text },
  nullable: { "x-kubernetes-preserve-unknown-fields": true, nullable: true },
  deep: object({ inner: open }),
})

const intOrStrings: JSONSchemaProps = object({
  bare: { "x-kubernetes-int-or-string": true },
  pattern: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
  first: { "x-kubernetes-int-or-string": true, allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "^1" }] },
  other: { "x-kubernetes-int-or-string": true, anyOf: [{ pattern: "^a" }, { maximum: 3 }], pattern: "x", maxLength: 5 },
  list: { type: "array", items: { "x-kubernetes-int-or-string": true } },
  map: { type: "object", additionalProperties: { "x-kubernetes-int-or-string": true, description: "either" } },
})

const junctors: JSONSchemaProps = object(
  {
    a: { type: "string", oneOf: [{ pattern: "^a" }, { minLength: 4 }], not: { enum: ["b"] } },
    b: object(
      { c: text, d: whole },
      { anyOf: [{ required: ["c"] }, { properties: { d: { minimum: 3 } } }], allOf: [{ not: { required: ["c", "d"] } }] },
    ),
    e: { type: "array", items: { type: "object", properties: { f: text } }, allOf: [{ items: { required: ["f"] } }, { maxItems: 3 }] },
    g: { type: "object", additionalProperties: text, anyOf: [{ minProperties: 2 }] },
  },
  { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
)

const embedded: JSONSchemaProps = object({
  template: { ...open, "x-kubernetes-embedded-resource": true },
  closed: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: object({ a: text }) }, required: ["spec"] },
  described: {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    properties: { kind: { type: "string", enum: ["A"] }, apiVersion: text, metadata: { type: "object" } },
    required: ["kind"],
  },
  list: { type: "array", items: { ...open, "x-kubernetes-embedded-resource": true } },
})

const ruled: JSONSchemaProps = object(
  { a: { ...whole, "x-kubernetes-validations": [{ rule: "self > 0", message: "not below", reason: "FieldValueForbidden" }] }, b: whole },
  { "x-kubernetes-validations": [{ rule: "self.b >= 0", messageExpression: "'b is small'", fieldPath: ".b" }] },
)

const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" }
const sized = object({ replicas: whole, color: text, on: { type: "boolean" } })

/** Definitions that together use everything that documents of custom resources show. */
export const definitions: readonly CustomResourceDefinition[] = [
  of("Word", everyWord),
  of("List", lists),
  of("Nullable", nullables),
  of("Open", preserving),
  of("Either", intOrStrings),
  of("Junctor", junctors),
  of("Embedded", embedded),
  of("Rule", ruled),
  of("Status", sized, { subresources: { status: {} } }),
  of("Scale", sized, { subresources: { scale } }),
  of("Both", sized, { subresources: { status: {}, scale: { ...scale, labelSelectorPath: ".status.selector" } } }),
  of("Selectable", sized, { selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.on" }] }),
  of("Deprecated", sized, { deprecated: true, deprecationWarning: "use another" }),
  of("Column", sized, { additionalPrinterColumns: [{ name: "Color", type: "string", jsonPath: ".spec.color" }] }),
  define("Bare", [withSchema({ type: "object" })]),
  define("Described", [withSchema({ type: "object", description: "only a description", title: "T" })]),
  define("OpenRoot", [withSchema({ ...open, description: "anything", properties: { spec: { type: "object", description: "kept" } } })]),
  define("OpenRootStatus", [withSchema(open, { subresources: { status: {} }, selectableFields: [] })]),
  define("RootRequired", [
    withSchema(object({ spec: object({ a: text }) }, { required: ["spec"], "x-kubernetes-validations": [{ rule: "has(self.spec)" }] })),
  ]),
  define("Metadata", [
    withSchema(
      object({ metadata: object({ name: { type: "string", maxLength: 20, pattern: "^a" } }), apiVersion: text, kind: text, spec: text }),
    ),
  ]),
  define("Data", [
    withSchema(object({ data: { type: "object", additionalProperties: text }, type: text, items: { type: "array", items: whole } })),
  ]),
  define("Cluster", [version(sized, { subresources: { status: {}, scale } })], { scope: "Cluster" }),
  define("Apple", [version(sized)], { scope: "Cluster" }),
  define("Fish", [version(sized)], {
    names: { plural: "fishes", kind: "Fish", listKind: "FishSchool", singular: "fish", shortNames: ["f"], categories: ["all"] },
  }),
  define("Crate", [
    version(sized),
    version(object({ old: text }), { name: "v1beta1", storage: false }),
    version(text, { name: "v2alpha1", storage: false, served: false }),
  ]),
  define("Moved", [version(sized, { name: "v2" }), version(sized, { name: "v1", storage: false, subresources: { status: {} } })]),
  define("Widget", [version(sized)], { group: "example.com" }),
  define("Gadget", [version(object({ widget: text }))], { group: "example.com" }),
  define("Policy", [version(sized)], { group: "policy.rules.example.org" }),
  define(
    "Certificate",
    [
      version(object({ secretName: text, dnsNames: { type: "array", items: text } }, { required: ["secretName"] }), {
        subresources: { status: {} },
      }),
    ],
    {
      group: "cert-tools.example.io",
    },
  ),
  define("Dashed", [version(text)], { group: "my-group.example-site.dev" }),
]
