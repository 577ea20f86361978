import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { VirtualClock } from "@pilothouse/seams"
import { beforeAll, expect, test } from "vitest"
import { draftOf } from "../../body/draft.ts"
import { loadPatterns } from "../schema/formats/pattern.ts"
import { widgetVersion } from "../testing/definitions.ts"
import { type Change, type Definition, errorsOf, prepared, type Version } from "../testing/prepared-definition.ts"
import { customResourceDefinition } from "./strategy.ts"

beforeAll(() => loadPatterns(new VirtualClock()))

/** What was stored, in whichever way, with status Established. */
function stored(change: Change): CustomResourceDefinition {
  const definition = prepared(change)
  return { ...definition, status: { ...definition.status, conditions: [{ type: "Established", status: "True" }] } }
}

const rootOf = (first: Version) => first.schema!.openAPIV3Schema!
const nonAtomic = { type: "array", "x-kubernetes-list-type": "set", items: { type: "object", properties: { a: { type: "string" } } } }
const keyless = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["k"],
  items: { type: "object", properties: { k: { type: "string" } } },
}
/** A list of maps by the key k. */
const mapOf = (k: object, more: object = {}) => ({ ...keyless, items: { type: "object", properties: { k }, required: ["k"], ...more } })
const many = Array.from({ length: 9 }, (_, index) => `f${index}`)

/** A rule that a stored definition has broken is not held against its updates; broken for the first time it is. */
test.each<readonly [string, Change, string]>([
  ["types that are unknown", (_, first) => void (rootOf(first).properties!.x = { type: "odd" }), "Unsupported value"],
  ["sets of objects", (_, first) => void (rootOf(first).properties!.x = draftOf(nonAtomic)), "must be atomic as item of a list"],
  [
    "maps without their keys",
    (_, first) => void (rootOf(first).properties!.x = draftOf(keyless)),
    "must have a default or be a required property",
  ],
  [
    "keys that may be null",
    (_, first) => void (rootOf(first).properties!.x = draftOf(mapOf({ type: "string", nullable: true }))),
    "items.properties[k].nullable: Forbidden",
  ],
  [
    "items by key that may be null",
    (_, first) => void (rootOf(first).properties!.x = draftOf(mapOf({ type: "string" }, { nullable: true }))),
    "items.nullable: Forbidden",
  ],
  [
    "items of sets that may be null",
    (_, first) => void (rootOf(first).properties!.x = draftOf({ ...nonAtomic, items: { type: "string", nullable: true } })),
    "items.nullable: Forbidden",
  ],
  [
    "schemas that are not structural, of a definition that does not prune,",
    (spec, first) => {
      spec.preserveUnknownFields = true
      rootOf(first).properties = { x: {} }
    },
    "properties[x].type: Required value",
  ],
  [
    "versions without a schema, of a definition that does not prune,",
    (spec, first) => {
      spec.preserveUnknownFields = true
      delete first.schema
    },
    "schema.openAPIV3Schema: Required value",
  ],
  [
    "defaults with unknown fields",
    (_, first) => void (rootOf(first).properties!.x = { type: "object", properties: { a: { type: "string" } }, default: { b: 1 } }),
    "must not have unknown fields",
  ],
  [
    "review versions that are unknown",
    (spec) =>
      void (spec.conversion = { strategy: "Webhook", webhook: { clientConfig: { url: "https://h" }, conversionReviewVersions: ["v7"] } }),
    "must include at least one of",
  ],
  [
    "certificates that cannot be read",
    (spec) =>
      void (spec.conversion = {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://h", caBundle: "bm8=" }, conversionReviewVersions: ["v1"] },
      }),
    "unable to load root certificates",
  ],
  [
    "too many selectable fields",
    (_, first) => {
      rootOf(first).properties!.x = { type: "object", properties: Object.fromEntries(many.map((name) => [name, { type: "string" }])) }
      first.selectableFields = many.map((name) => ({ jsonPath: `.x.${name}` }))
    },
    "Too many: 9: must have at most 8 items",
  ],
  [
    "preserveUnknownFields",
    (spec, first) => {
      spec.preserveUnknownFields = true
      rootOf(first).properties = {}
    },
    "cannot set to true",
  ],
])("%s stay where they were, and are refused where they were not", (_, change, text) => {
  const labelled = (definition: CustomResourceDefinition) => ({ ...definition, metadata: { ...definition.metadata, labels: { a: "b" } } })
  expect(errorsOf(labelled(stored(change)), stored(change)).filter((error) => error.includes(text))).toEqual([])
  expect(
    errorsOf(
      stored(change),
      stored(() => {}),
    ).join("\n"),
  ).toContain(text)
})

test("what objects are stored under stays, once it is established", () => {
  const moved = stored(
    (spec) => void Object.assign(spec, { group: "b.com", scope: "Cluster", names: { ...spec.names, plural: "ws", kind: "W" } }),
  )
  const texts = (old: CustomResourceDefinition) => errorsOf(moved, old).map((error) => error.split(": ", 1)[0])
  expect(texts(stored(() => {}))).toEqual(["spec.scope", "spec.names.kind", "spec.group", "spec.names.plural"])
  expect(texts(prepared(() => {}))).toEqual(["spec.group", "spec.names.plural"])
})

test("a version that objects were stored in stays in the spec", () => {
  const two = prepared((spec) => void spec.versions.push({ ...draftOf(widgetVersion("v2")), storage: false }))
  const later = draftOf(two) as Definition
  later.spec.versions = [{ ...later.spec.versions[1]!, storage: true }]
  customResourceDefinition.prepareForUpdate(later)
  expect(later.status?.storedVersions).toEqual(["v1", "v2"])
  expect(errorsOf(later as CustomResourceDefinition, two)).toEqual([
    'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
  ])
})

test.each<readonly [string | undefined, string | undefined, string]>([
  [undefined, undefined, ""],
  ["bad", "bad", ""],
  ["bad", undefined, "Required value"],
  [undefined, "bad", "Invalid value"],
  [undefined, "https://github.com/x", ""],
  [undefined, "unapproved", ""],
])("an approval that is %s and becomes %s is answered with %s", (before, after, text) => {
  const approved = (value: string | undefined) =>
    prepared((spec, _, definition) => {
      spec.group = "x.k8s.io"
      definition.metadata = { name: "widgets.x.k8s.io", annotations: value === undefined ? {} : { "api-approved.kubernetes.io": value } }
    })
  expect(errorsOf(approved(after), approved(before)).join("\n")).toContain(text)
  if (text === "") expect(errorsOf(approved(after), approved(before))).toEqual([])
})

test("formats that are not validated are warned of once", () => {
  const odd = stored((_, first) => void (rootOf(first).properties!.x = { type: "integer", format: "odd" }))
  expect(customResourceDefinition.warnings(odd)).toEqual(['unrecognized format "odd"'])
  expect(customResourceDefinition.warnings(odd, odd)).toEqual([])
  expect(customResourceDefinition.warnings(stored((_, first) => void (rootOf(first).format = "k8s-short-name")))).toEqual([
    'unrecognized format "k8s-short-name"',
  ])
})

/** A definition whose nine selectable fields begin with the one that is named. */
const selecting = (name: string) =>
  stored((_, first) => {
    const names = [name, ...many.slice(1)]
    rootOf(first).properties!.x = { type: "object", properties: Object.fromEntries(names.map((one) => [one, { type: "string" }])) }
    first.selectableFields = names.map((one) => ({ jsonPath: `.x.${one}` }))
  })

test("too many selectable fields that are others than before are refused", () => {
  expect(errorsOf(selecting("a"), selecting("a"))).toEqual([])
  expect(errorsOf(selecting("b"), selecting("a")).join("\n")).toContain("Too many: 9: must have at most 8 items")
})

/** A definition that is converted by a webhook whose certificates are these. */
const convertedBy =
  (caBundle: string): Change =>
  (spec) =>
    void (spec.conversion = {
      strategy: "Webhook",
      webhook: { clientConfig: { url: "https://h", caBundle }, conversionReviewVersions: ["v1"] },
    })

test("certificates that cannot be read are refused only where they were read, or there were none, while the kind was served", () => {
  const broken = convertedBy("bm8=")
  expect(errorsOf(prepared(broken), prepared(convertedBy("")))).toEqual([])
  expect(errorsOf(stored(broken), stored(broken))).toEqual([])
  expect(errorsOf(stored(broken), stored(convertedBy(""))).join("\n")).toContain("webhookClientConfig.caBundle: Invalid value")
})

test("a definition that prunes again is one as any other", () => {
  const open = stored((spec, first) => {
    spec.preserveUnknownFields = true
    rootOf(first).properties = {}
  })
  expect(errorsOf({ ...open, spec: { ...open.spec, preserveUnknownFields: false } }, open)).toEqual([])
})
