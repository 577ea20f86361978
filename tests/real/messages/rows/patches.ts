import { at, patch, post, type Row, raw } from "../row.ts"

const settings = at("configmaps", "settings")
const web = at("apps/deployments", "web")
const theirFault = "a fault of the caller, which theirs takes for its own (500)"
const managed = "the words show the whole object with its managedFields, which ours has not"
const converter = "in the words of another decoder than everywhere else"

export const patches: readonly Row[] = [
  patch("a patch of a missing object", at("configmaps", "nothing"), "merge", {}),
  patch("a patch of a missing object in a group", at("apps/deployments", "nothing"), "strategic", {}),
  { ...patch("a patch of an unknown type", settings, "merge", {}), contentType: "application/json" },
  { ...patch("a patch of a type that is none", settings, "merge", {}), contentType: "nonsense" },
  { ...patch("a patch of text", settings, "merge", {}), contentType: "text/plain" },
  patch("a merge patch that is no JSON", settings, "merge", raw("{nonsense")),
  patch("a merge patch that is a list", settings, "merge", raw("[]")),
  patch("a merge patch that is a number", settings, "merge", raw("7")),
  patch("an empty merge patch", settings, "merge", raw("")),
  { ...patch("a merge patch of the wrong type", settings, "merge", { data: { a: 7 } }), alike: managed },
  patch("a merge patch of the name", settings, "merge", { metadata: { name: "other" } }),
  patch("a merge patch of the namespace", settings, "merge", { metadata: { namespace: "other" } }),
  patch("a merge patch of the uid", settings, "merge", { metadata: { uid: "7f1c9b9e-0d6c-4a57-9a37-2b1f0e1f0001" } }),
  patch("a merge patch of an old version", settings, "merge", { metadata: { resourceVersion: "1" } }),
  { ...patch("a merge patch of a version that is none", settings, "merge", { metadata: { resourceVersion: "one" } }), alike: theirFault },
  { ...patch("a merge patch of the kind", settings, "merge", { kind: "Secret" }), alike: managed },
  { ...patch("a merge patch of the version", settings, "merge", { apiVersion: "v2" }), alike: managed },
  {
    ...patch("a merge patch with an unknown field, strictly", settings, "merge", { dota: {} }, { query: { fieldValidation: "Strict" } }),
    alike: managed,
  },
  patch("a merge patch with a bad label", settings, "merge", { metadata: { labels: { "-": "x" } } }),
  patch("a strategic patch that is no JSON", settings, "strategic", raw("{nonsense")),
  patch("a strategic patch that is a list", settings, "strategic", raw("[]")),
  patch("a strategic patch of an unknown directive", settings, "strategic", { data: { $patch: "nonsense" } }),
  { ...patch("a strategic patch of the wrong type", settings, "strategic", { data: "text" }), alike: converter },
  patch("a strategic patch with an unknown field, strictly", settings, "strategic", { dota: {} }, { query: { fieldValidation: "Strict" } }),
  post("a Deployment to work with", at("apps/deployments"), {
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web:1" }] } },
    },
  }),
  patch("a strategic patch without a merge key", web, "strategic", { spec: { template: { spec: { containers: [{ image: "web:2" }] } } } }),
  patch("a strategic patch with an element of the wrong type", web, "strategic", { spec: { template: { spec: { containers: ["web"] } } } }),
  {
    ...patch("a strategic patch with a map for a list", web, "strategic", {
      spec: { template: { spec: { containers: { name: "web" } } } },
    }),
    alike: converter,
  },
  patch("a strategic patch of the selector", web, "strategic", { spec: { selector: { matchLabels: { app: "other" } } } }),
  patch("a strategic patch below zero", web, "strategic", { spec: { replicas: -1 } }),
  patch("a JSON patch that is no list", settings, "json", {}),
  patch("a JSON patch that is no JSON", settings, "json", raw("[nonsense")),
  patch("a JSON patch of an unknown operation", settings, "json", [{ op: "nonsense", path: "/data" }]),
  patch("a JSON patch without an operation", settings, "json", [{ path: "/data" }]),
  patch("a JSON patch without a path", settings, "json", [{ op: "remove" }]),
  patch("a JSON patch without a value", settings, "json", [{ op: "add", path: "/data/a" }]),
  patch("a JSON patch that removes what is not there", settings, "json", [{ op: "remove", path: "/data/nothing" }]),
  patch("a JSON patch that replaces what is not there", settings, "json", [{ op: "replace", path: "/data/nothing", value: "a" }]),
  patch("a JSON patch that adds below what is not there", settings, "json", [{ op: "add", path: "/nothing/a", value: "a" }]),
  patch("a JSON patch whose test fails", settings, "json", [{ op: "test", path: "/data/colour", value: "red" }]),
  patch("a JSON patch that moves what is not there", settings, "json", [{ op: "move", from: "/data/nothing", path: "/data/a" }]),
  patch("a JSON patch that copies what is not there", settings, "json", [{ op: "copy", from: "/data/nothing", path: "/data/a" }]),
  patch("a JSON patch beyond a list", web, "json", [{ op: "add", path: "/spec/template/spec/containers/7", value: {} }]),
  patch("a JSON patch to no number of a list", web, "json", [{ op: "remove", path: "/spec/template/spec/containers/x" }]),
  { ...patch("a JSON patch of the wrong type", settings, "json", [{ op: "replace", path: "/data/colour", value: 7 }]), alike: managed },
  patch("a JSON patch of the name", settings, "json", [{ op: "replace", path: "/metadata/name", value: "x" }]),
  {
    ...patch("a JSON patch with an unknown field, strictly", settings, "json", [{ op: "add", path: "/dota", value: {} }], {
      query: { fieldValidation: "Strict" },
    }),
    alike: managed,
  },
  patch("a patch with an unknown dry run", settings, "merge", {}, { query: { dryRun: "Some" } }),
  patch("a patch with force", settings, "merge", {}, { query: { force: "true" } }),
  patch("a patch of the status of a ConfigMap", at("configmaps", "settings", "status"), "merge", {}),
  patch("a scale below zero", at("apps/deployments", "web", "scale"), "merge", { spec: { replicas: -1 } }),
  {
    ...patch("a scale of the wrong type", at("apps/deployments", "web", "scale"), "merge", { spec: { replicas: "three" } }),
    alike: managed,
  },
  patch("a scale with another name", at("apps/deployments", "web", "scale"), "merge", { metadata: { name: "other" } }),
  patch("a scale of an old version", at("apps/deployments", "web", "scale"), "merge", {
    metadata: { resourceVersion: "1" },
    spec: { replicas: 2 },
  }),
]
