import type { JsonObject } from "../../api/objects/object.ts"
import { type Step, subject } from "../step.ts"

const collection = "/api/v1/namespaces/default/configmaps"
const a = subject(collection, "entries")
const made = subject(collection, "made-with-entries")

function config(data: object, managedFields?: unknown, name = "entries"): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...(managedFields === undefined ? {} : { managedFields }) }, data }
}

const entry = (change: object = {}) => ({
  manager: "given",
  operation: "Update",
  apiVersion: "v1",
  time: "2024-01-02T03:04:05Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { ".": {}, "f:a": {} } },
  ...change,
})

const bad: Readonly<Record<string, unknown>> = {
  "an unknown operation": [entry({ operation: "Other" })],
  "no operation": [entry({ operation: undefined })],
  "an unknown fieldsType": [entry({ fieldsType: "FieldsV2" })],
  "no fieldsType": [entry({ fieldsType: undefined })],
  "no apiVersion": [entry({ apiVersion: undefined })],
  "a bad apiVersion": [entry({ apiVersion: "a/b/c" })],
  "a version that is not served": [entry({ apiVersion: "v9" })],
  "an unknown kind of element": [entry({ fieldsV1: { "x:data": {}, "f:data": {} } })],
  "an element without a colon": [entry({ fieldsV1: { data: {} } })],
  "a bad key": [entry({ fieldsV1: { "f:data": { "k:{": {} } } })],
  "a bad value": [entry({ fieldsV1: { "f:data": { "v:x": {} } } })],
  "a bad index": [entry({ fieldsV1: { "f:data": { "i:x": {} } } })],
  "fields of a list": [entry({ fieldsV1: [] })],
  "fields of null": [entry({ fieldsV1: null })],
  "no fields": [entry({ fieldsV1: undefined })],
  "a text as a field": [entry({ fieldsV1: { "f:data": "x" } })],
  "a bad time": [entry({ time: "yesterday" })],
  "a time of null": [entry({ time: null })],
  "a long manager": [entry({ manager: "m".repeat(129) })],
  "a control character in a manager": [entry({ manager: "a\nb" })],
  "no manager": [entry({ manager: undefined })],
  "an unknown subresource": [entry({ subresource: "other" })],
  "a long subresource": [entry({ subresource: "s".repeat(257) })],
  "one manager twice": [entry(), entry({ fieldsV1: { "f:data": { "f:b": {} } } })],
  "two managers of one field": [entry(), entry({ manager: "second", operation: "Apply" })],
  "an unknown field": [entry({ foo: 1 })],
  "a text": "x",
  "a text as an entry": ["x"],
  "null as an entry": [null],
  "two empty entries": [{}, {}],
  "an entry of null fields": [{ manager: null, operation: null }],
}

const reset = (name: string) => a.update(`before ${name}: given entries`, config({ a: "1", b: "2" }, [entry()]), { manager: "resetter" })
const entriesOf = ({ metadata }: JsonObject) => (metadata as JsonObject).managedFields

export const entries: readonly Step[] = [
  a.create("create", config({ a: "1", b: "2" })),
  a.update("update without entries", config({ a: "1", b: "3" }), { manager: "m2" }),
  a.update("update with its own entries", (live: JsonObject) => config({ a: "1", b: "4" }, entriesOf(live)), { manager: "m2" }),
  a.update("update with other entries", config({ a: "1", b: "4" }, [entry()]), { manager: "m2" }),
  a.update("update with other entries and a change", config({ a: "2", b: "4" }, [entry()]), { manager: "m2" }),
  a.update("update with entries of null", config({ a: "2", b: "5" }, null), { manager: "m2" }),
  a.update("update with []", config({ a: "1", b: "4" }, []), { manager: "m2" }),
  a.update("an update of an untracked object stays untracked", config({ a: "2", b: "4" }), { manager: "m2" }),
  a.merge("so does a patch", { data: { c: "1" } }, { manager: "m2" }),
  a.apply("apply tracks again", config({ z: "1" }), { manager: "applier" }),
  a.update("update with [{}]", config({ a: "1", b: "4" }, [{}]), { manager: "m2" }),
  a.apply("apply of the same", config({ a: "1" }), { manager: "applier" }),
  a.merge("merge patch with []", { metadata: { managedFields: [] } }, { manager: "m2" }),
  a.apply("apply of the same", config({ a: "1" }), { manager: "applier" }),
  a.merge("merge patch with [{}]", { metadata: { managedFields: [{}] }, data: { q: "1" } }, { manager: "m2" }),
  a.apply("apply of the same", config({ a: "1" }), { manager: "applier" }),
  a.merge("merge patch with null", { metadata: { managedFields: null } }, { manager: "m2" }),
  a.merge("merge patch with null and a change", { metadata: { managedFields: null }, data: { q: "2" } }, { manager: "m2" }),
  a.json("JSON patch that replaces them with [{}]", [{ op: "replace", path: "/metadata/managedFields", value: [{}] }], { manager: "m2" }),
  a.apply("apply of the same", config({ a: "1" }), { manager: "applier" }),
  a.json("JSON patch that removes them", [{ op: "remove", path: "/metadata/managedFields" }], { manager: "m2" }),
  a.json("JSON patch that removes the first", [{ op: "remove", path: "/metadata/managedFields/0" }], { manager: "m2" }),
  a.json("JSON patch that renames a manager", [{ op: "replace", path: "/metadata/managedFields/0/manager", value: "renamed" }], {
    manager: "m2",
  }),
  a.json("JSON patch that tests a manager", [{ op: "test", path: "/metadata/managedFields/0/manager", value: "renamed" }], {
    manager: "m2",
  }),
  a.strategic("strategic merge patch with []", { metadata: { managedFields: [] } }, { manager: "m2" }),
  a.strategic("strategic merge patch with [{}]", { metadata: { managedFields: [{}] } }, { manager: "m2" }),
  ...Object.entries(bad).flatMap(([name, managedFields]) => [
    reset(name),
    a.update(`update: ${name}`, config({ a: "1", b: "3" }, managedFields), { manager: "m2" }),
    a.merge(`merge patch: ${name}`, { metadata: { managedFields }, data: { b: "4" } }, { manager: "m2" }),
    a.create(`create: ${name}`, config({ a: "1" }, managedFields, "created-with-entries"), { manager: "m2", query: { dryRun: "All" } }),
    a.apply(`apply after ${name}`, config({ a: "1" }), { manager: "applier", query: { dryRun: "All" } }),
  ]),
  made.create(
    "create with entries",
    config({ a: "1", b: "2" }, [entry(), entry({ manager: "x", fieldsV1: { "f:data": { "f:z": {} } } })], "made-with-entries"),
  ),
  made.update("a change of what entries say", config({ a: "2", b: "2" }, undefined, "made-with-entries"), { manager: "m2" }),
  made.remove("delete"),
  made.create("create with []", config({ a: "1" }, [], "made-with-entries")),
  made.remove("delete"),
  made.create("create with [{}]", config({ a: "1" }, [{}], "made-with-entries")),
  made.update("update strictly", config({ a: "2" }, [entry({ foo: 1 })], "made-with-entries"), { query: { fieldValidation: "Strict" } }),
]
