import { at, post, put, type Row } from "../row.ts"

const make = (name: string, metadata: object): Row => post(name, at("configmaps"), { metadata })
const owner = { apiVersion: "v1", kind: "ConfigMap", name: "settings", uid: "7f1c9b9e-0d6c-4a57-9a37-2b1f0e1f0001" }

/** Names, labels, annotations, owners and finalizers. */
export const metadata: readonly Row[] = [
  make("a name in capitals", { name: "Settings" }),
  make("a name that is too long", { name: "a".repeat(254) }),
  make("a name with a slash", { name: "a/b" }),
  make("a name of one dot", { name: "." }),
  make("a generated name in capitals", { generateName: "Settings-" }),
  make("a label key that begins with a dash", { name: "a", labels: { "-a": "b" } }),
  make("a label key with two slashes", { name: "a", labels: { "a/b/c": "b" } }),
  make("a label key with a bad prefix", { name: "a", labels: { "A_/c": "b" } }),
  make("an empty label key", { name: "a", labels: { "": "b" } }),
  make("a label key that is too long", { name: "a", labels: { ["k".repeat(64)]: "b" } }),
  make("a label value with a space", { name: "a", labels: { a: "b c" } }),
  make("a label value that is too long", { name: "a", labels: { a: "b".repeat(64) } }),
  make("an annotation key with a space", { name: "a", annotations: { "a b": "c" } }),
  make("annotations that are too large", { name: "a", annotations: { a: "b".repeat(262145) } }),
  make("an owner without a uid", { name: "a", ownerReferences: [{ ...owner, uid: "" }] }),
  make("an owner without a name", { name: "a", ownerReferences: [{ ...owner, name: "" }] }),
  make("an owner without a kind", { name: "a", ownerReferences: [{ ...owner, kind: "" }] }),
  make("an owner without a version", { name: "a", ownerReferences: [{ ...owner, apiVersion: "" }] }),
  make("an owner that is an Event", { name: "a", ownerReferences: [{ ...owner, kind: "Event" }] }),
  make("two controllers", {
    name: "a",
    ownerReferences: [
      { ...owner, controller: true },
      { ...owner, name: "b", uid: "7f1c9b9e-0d6c-4a57-9a37-2b1f0e1f0002", controller: true },
    ],
  }),
  make("a finalizer without a domain", { name: "a", finalizers: ["mine"] }),
  make("a finalizer with a space", { name: "a", finalizers: ["example.com/a b"] }),
  make("both kinds of finalizers for orphans", { name: "a", finalizers: ["orphan", "foregroundDeletion"] }),
  post("a namespace with a dot", at("namespaces"), { metadata: { name: "a.b" } }),
  post("a namespace that is too long", at("namespaces"), { metadata: { name: "a".repeat(64) } }),
  post("a namespace with a bad finalizer", at("namespaces"), { metadata: { name: "ab" }, spec: { finalizers: ["mine"] } }),
  post("a Service that begins with a digit", at("services"), { metadata: { name: "1a" }, spec: { ports: [{ port: 80 }] } }),
  post("a Service with a dot", at("services"), { metadata: { name: "a.b" }, spec: { ports: [{ port: 80 }] } }),
  post("a Role with a colon", at("rbac/roles"), {
    metadata: { name: "a:b" },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  }),
  post("a Role with a percent sign", at("rbac/roles"), { metadata: { name: "a%b" } }),
  put("the labels of an update", at("configmaps", "settings"), { metadata: { name: "settings", labels: { a: "?" } } }),
]
