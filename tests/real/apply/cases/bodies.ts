import type { JsonObject } from "../../api/objects/object.ts"
import { raw, type Step, subject } from "../step.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const deployments = "/apis/apps/v1/namespaces/default/deployments"
const there = subject(configMaps, "there")
const absent = subject(configMaps, "absent")
const workload = subject(deployments, "bodies")
const repeated = subject(configMaps, "repeated")

function config(name: string, data: object = { a: "1" }, metadata: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data }
}

function deployment(spec: object): object {
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "bodies" }, spec }
}

const template = (container: object) => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "i", ...container }] },
})
const alike = (step: Step, why = "a 500 is never the right answer to a bad request"): Step => ({ ...step, alike: why })
const dryRun = { query: { dryRun: "All" } }
const selector = { matchLabels: { app: "web" } }

const twice = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: repeated\ndata:\n  a: one\n  a: two\n  b: one\n  b: two\n"
const versionOf = ({ metadata }: JsonObject) => (metadata as JsonObject | undefined)?.resourceVersion
const uidOf = ({ metadata }: JsonObject) => (metadata as JsonObject | undefined)?.uid

export const bodies: readonly Step[] = [
  absent.apply("an empty body", raw("")),
  absent.apply("a body of spaces", raw("  \n")),
  absent.apply("null", raw("null")),
  absent.apply("an empty object", raw("{}")),
  absent.apply("a list", raw("[]")),
  absent.apply("a number", raw("1")),
  absent.apply("a text", raw("text")),
  absent.apply("broken YAML", raw("a: b: c")),
  absent.apply("YAML with a tab", raw("a:\n\tb: c")),
  alike(absent.apply("an unclosed list", raw("a: [1, 2")), "the YAML library counts the line where the text ends"),
  alike(absent.apply("broken JSON", raw('{"apiVersion": "v1"')), "the YAML library counts the line where the text ends"),
  absent.apply("YAML with two documents", raw("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: absent}\n---\nkind: x\n"), {
    query: { dryRun: "All" },
  }),
  absent.apply("no apiVersion", { kind: "ConfigMap", metadata: { name: "absent" } }),
  absent.apply("no kind", { apiVersion: "v1", metadata: { name: "absent" } }),
  absent.apply("another kind", { apiVersion: "v1", kind: "Secret", metadata: { name: "absent" } }),
  absent.apply("another group", { apiVersion: "apps/v1", kind: "ConfigMap", metadata: { name: "absent" } }),
  absent.apply("another version", { apiVersion: "v2", kind: "ConfigMap", metadata: { name: "absent" } }),
  absent.apply("a version of two slashes", { apiVersion: "a/b/c", kind: "ConfigMap", metadata: { name: "absent" } }),
  absent.apply("a number as the kind", { apiVersion: "v1", kind: 7, metadata: { name: "absent" } }),
  absent.apply("no metadata", { apiVersion: "v1", kind: "ConfigMap" }),
  absent.apply("metadata of a text", { apiVersion: "v1", kind: "ConfigMap", metadata: "x" }),
  absent.apply("metadata of null", { apiVersion: "v1", kind: "ConfigMap", metadata: null }),
  absent.apply("no name", { apiVersion: "v1", kind: "ConfigMap", metadata: {} }),
  absent.apply("another name", config("other")),
  absent.apply("a generateName", { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "g-" } }),
  absent.apply("a number as the name", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: 7 } }),
  absent.apply("another namespace", config("absent", {}, { namespace: "kube-system" })),
  subject(configMaps, "versioned").apply("a resourceVersion where nothing is", config("versioned", {}, { resourceVersion: "1" })),
  subject(configMaps, "versioned-0").apply("a resourceVersion of 0 where nothing is", config("versioned-0", {}, { resourceVersion: "0" })),
  alike(absent.apply("a resourceVersion of a text where nothing is", config("absent", {}, { resourceVersion: "x" }), dryRun)),
  absent.apply("a uid where nothing is", config("absent", {}, { uid: "4f1b4a53-0a5c-4a5e-8a1e-000000000001" }), dryRun),
  absent.apply("a uid and a resourceVersion where nothing is", config("absent", {}, { uid: "u", resourceVersion: "1" }), dryRun),
  absent.apply("an empty uid where nothing is", config("absent", {}, { uid: "" }), dryRun),
  absent.sub("status").apply("a subresource that the kind has not", config("absent")),
  absent.apply("the namespace of nowhere", config("absent", {}, { namespace: "default" }), dryRun),
  subject("/api/v1/namespaces/nowhere/configmaps", "a").apply("a namespace that is not there", config("a")),
  subject(configMaps, "Bad_Name").apply("a bad name", config("Bad_Name")),

  there.apply("apply", config("there")),
  there.apply("no name, with an object there", { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } }),
  there.apply("another name, with an object there", config("other")),
  there.apply("another namespace, with an object there", config("there", {}, { namespace: "kube-system" })),
  there.apply("the namespace", config("there", { a: "1" }, { namespace: "default" })),
  there.apply("an old resourceVersion", config("there", { a: "2" }, { resourceVersion: "1" })),
  alike(there.apply("a resourceVersion of a text", config("there", { a: "2" }, { resourceVersion: "x" }))),
  there.apply("an old resourceVersion of what is unchanged", config("there", { a: "1" }, { resourceVersion: "1" })),
  there.apply("the present resourceVersion", (live: JsonObject) => config("there", { a: "2" }, { resourceVersion: versionOf(live) })),
  there.apply("an empty resourceVersion", config("there", { a: "3" }, { resourceVersion: "" })),
  there.apply("another uid", config("there", { a: "4" }, { uid: "4f1b4a53-0a5c-4a5e-8a1e-000000000001" })),
  there.apply("the present uid", (live: JsonObject) => config("there", { a: "5" }, { uid: uidOf(live) })),
  there.apply("an empty uid", config("there", { a: "6" }, { uid: "" })),
  there.apply("a creationTimestamp of null", config("there", { a: "7" }, { creationTimestamp: null })),
  there.apply("a creationTimestamp", config("there", { a: "7" }, { creationTimestamp: "2024-01-02T03:04:05Z" })),
  there.apply("a generation", config("there", { a: "7" }, { generation: 7 })),
  there.apply("managedFields of null", config("there", { a: "7" }, { managedFields: null })),
  there.apply("managedFields of []", config("there", { a: "7" }, { managedFields: [] })),
  there.apply("managedFields", config("there", { a: "7" }, { managedFields: [{ manager: "m", operation: "Apply" }] })),
  there.apply("managedFields of a text", config("there", { a: "7" }, { managedFields: "x" })),
  there.apply("an unknown field", { ...config("there"), foo: 1 }),
  there.apply("an unknown field of the metadata", config("there", {}, { foo: 1 })),
  there.apply("an unknown field under Ignore", { ...config("there"), foo: 1 }, { query: { fieldValidation: "Ignore" } }),
  there.apply("data of a list", { ...config("there"), data: ["a"] }),
  there.apply("data of a text", { ...config("there"), data: "a" }),
  there.apply("a value of a list", config("there", { a: ["x"] })),
  there.apply("a value of an object", config("there", { a: { x: "y" } })),
  there.apply("a value of a boolean", config("there", { a: true })),
  there.apply("labels of numbers", config("there", { a: "1" }, { labels: { a: 1 } })),
  there.apply("a bad label", config("there", { a: "1" }, { labels: { "bad key": "x" } })),
  there.apply("an unknown field with a conflict", { ...config("there", { a: "other" }), foo: 1 }, { manager: "m2" }),
  there.apply("finalizers with a repeated value", config("there", {}, { finalizers: ["test/a", "test/a"] })),
  there.apply("finalizers of objects", config("there", {}, { finalizers: [{ a: "b" }] })),
  there.apply("finalizers of null", config("there", {}, { finalizers: [null] })),
  there.apply("an owner without a uid", config("there", {}, { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "a" }] })),
  there.apply("an owner of null", config("there", {}, { ownerReferences: [null] })),
  there.apply("an owner of a text", config("there", {}, { ownerReferences: ["x"] })),

  workload.apply("an unknown field of a Deployment", deployment({ selector, template: template({}), foo: "bar" })),
  workload.apply("an unknown field of a container", deployment({ selector, template: template({ foo: "bar" }) })),
  workload.apply("two containers of one name", {
    ...deployment({ selector, template: { spec: { containers: [{ name: "web" }, { name: "web" }] } } }),
  }),
  workload.apply(
    "ports with one key",
    deployment({ selector, template: template({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "TCP" }] }) }),
  ),
  workload.apply(
    "environment with one name",
    deployment({ selector, template: template({ env: [{ name: "A" }, { name: "A", value: "1" }] }) }),
  ),
  workload.apply("a container without a name", deployment({ selector, template: { spec: { containers: [{ image: "i" }] } } })),
  workload.apply("a container with a name of null", deployment({ selector, template: template({ name: null }) })),
  workload.apply("replicas of a text", deployment({ selector, template: template({}), replicas: "three" })),
  alike(workload.apply("replicas of a fraction", deployment({ selector, template: template({}), replicas: 1.5 }))),
  workload.apply("containers of an object", deployment({ selector, template: { spec: { containers: {} } } })),
  workload.apply("no containers", deployment({ selector, template: { metadata: { labels: { app: "web" } } } })),
  workload.apply("nothing but a name", { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "bodies" } }),
  workload.sub("status").apply("status of what is not there", { ...deployment({}), status: { replicas: 1 } }),
  workload.sub("scale").apply("scale of what is not there", {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "bodies" },
    spec: { replicas: 1 },
  }),

  repeated.apply("a repeated key under Strict", raw(twice), { query: { fieldValidation: "Strict" } }),
  repeated.apply("a repeated key under Warn", raw(twice), { query: { fieldValidation: "Warn" } }),
  repeated.apply("a repeated key under Ignore", raw(twice), { query: { fieldValidation: "Ignore" } }),
  repeated.apply("a repeated key by default", raw(twice)),
  repeated.apply("a repeated key with a conflict under Strict", raw(twice), { manager: "m2", query: { fieldValidation: "Strict" } }),
  repeated.apply("a repeated key by another manager", raw(twice.replaceAll("two", "three")), {
    manager: "m2",
    query: { fieldValidation: "Strict" },
  }),
  repeated.apply(
    "a repeated key in JSON under Strict",
    raw(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"repeated"},"data":{"a":"two","a":"two"}}`),
    {
      query: { fieldValidation: "Strict" },
    },
  ),
  repeated.apply(
    "a repeated key in JSON by default",
    raw(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"repeated"},"data":{"a":"two","a":"two"}}`),
  ),
  repeated.apply("an unknown and a repeated field", raw(`${twice}foo: 1\n`), { query: { fieldValidation: "Strict" } }),
]
