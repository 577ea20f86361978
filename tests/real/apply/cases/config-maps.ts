import { raw, type Step, subject } from "../step.ts"

const collection = "/api/v1/namespaces/default/configmaps"
const a = subject(collection, "a")
const fresh = subject(collection, "fresh")
const none = subject(collection, "none")
const dry = subject(collection, "dry")
const twoAppliers = subject(collection, "two-appliers")

function config(name: string, data?: object, metadata: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, ...(data && { data }) }
}

export const configMaps: readonly Step[] = [
  a.create("create", config("a", { a: "1", b: "2" }, { labels: { app: "web" }, annotations: { note: "x" } })),
  a.read("read"),
  a.update("update by another manager changes a and adds c", config("a", { a: "2", b: "2", c: "3" }, { labels: { app: "web" } }), {
    manager: "m2",
  }),
  a.update("update that changes nothing", config("a", { a: "2", b: "2", c: "3" }, { labels: { app: "web" } }), { manager: "m3" }),
  a.merge("merge patch", { data: { d: "4" }, metadata: { labels: { tier: "front" } } }, { manager: "m3" }),
  a.strategic("strategic merge patch", { data: { e: "5" } }, { manager: "m3" }),
  a.json("JSON patch", [{ op: "add", path: "/data/f", value: "6" }], { manager: "m4" }),
  a.json("JSON patch that removes", [{ op: "remove", path: "/data/f" }], { manager: "m5" }),
  a.merge("merge patch that removes", { data: { e: null } }, { manager: "m5" }),
  a.merge("merge patch that removes all data", { data: null }, { manager: "m5" }),
  a.merge("merge patch with an empty object", { data: {} }, { manager: "m5" }),
  a.apply("apply to an object of others", config("a", { x: "1" }), { manager: "applier" }),
  a.apply("apply of the same", config("a", { x: "1" }), { manager: "applier" }),
  a.apply("apply of an equal value by a second applier", config("a", { x: "1" }), { manager: "second" }),
  a.apply("conflict with an applier", config("a", { x: "2" }), { manager: "applier" }),
  a.apply("conflict with an updater", config("a", { x: "1" }, { labels: { app: "other" } }), { manager: "applier" }),
  a.apply("conflict with two managers", config("a", { x: "3" }, { labels: { app: "other", tier: "back" } }), { manager: "third" }),
  a.force("force takes over", config("a", { x: "3" }, { labels: { app: "other", tier: "back" } }), { manager: "third" }),
  a.apply("the first applier finds a conflict", config("a", { x: "1" }), { manager: "applier" }),
  a.apply("an applier drops a field that others own", config("a", {}), { manager: "applier" }),
  a.apply("an applier drops everything", config("a"), { manager: "applier" }),
  a.apply("an applier drops its fields, which go", config("a", undefined, { labels: { tier: "back" } }), { manager: "third" }),
  a.apply("an applier adds a list of finalizers", config("a", undefined, { finalizers: ["test/a", "test/b"] }), { manager: "third" }),
  a.apply("another applier adds to the set", config("a", undefined, { finalizers: ["test/c", "test/a"] }), { manager: "fourth" }),
  a.apply("an applier drops one of the set", config("a", undefined, { finalizers: ["test/b"] }), { manager: "third" }),
  a.merge("finalizers go", { metadata: { finalizers: null } }, { manager: "third" }),
  a.remove("delete"),

  none.apply("apply creates an empty object", config("none")),
  none.apply("apply of an empty object", config("none")),
  none.create("create of what is there", config("none")),
  none.update("update of an object without managers", config("none", { a: "1" })),
  none.merge("patch of an object without managers", { data: { b: "2" } }),
  none.apply("apply to an object without managers", config("none", { b: "2" })),

  fresh.apply("apply creates", config("fresh", { a: "1", b: "2" }, { labels: { app: "web" } })),
  fresh.apply("apply removes a key", config("fresh", { a: "1" }, { labels: { app: "web" } })),
  fresh.update("update takes the value over", config("fresh", { a: "changed" }, { labels: { app: "web" } }), { manager: "updater" }),
  fresh.apply("conflict with the update", config("fresh", { a: "1" }, { labels: { app: "web" } })),
  fresh.apply("apply of the updater's value", config("fresh", { a: "changed" }, { labels: { app: "web" } })),
  fresh.apply("apply drops a shared value", config("fresh", {}, { labels: { app: "web" } })),
  fresh.apply("null values", config("fresh", { n: null }, { labels: { app: null } })),
  fresh.apply("null containers", { ...config("fresh"), data: null, metadata: { name: "fresh", labels: null } }),
  fresh.apply("empty containers", { ...config("fresh", {}), metadata: { name: "fresh", labels: {}, annotations: {} } }),
  fresh.apply("binary data", { ...config("fresh"), binaryData: { b: "AAEC" } }),
  fresh.apply("immutable", { ...config("fresh"), immutable: true }),
  fresh.apply("a change of what is immutable", { ...config("fresh", { z: "1" }), immutable: true }),
  fresh.apply("a change back", { ...config("fresh"), immutable: false }),

  dry.create("dry run of a create", config("dry", { a: "1" }), { query: { dryRun: "All" } }),
  dry.apply("dry run of an apply that creates", config("dry", { a: "1" }), { query: { dryRun: "All" } }),
  dry.read("nothing is there"),
  dry.apply("apply", config("dry", { a: "1" })),
  dry.apply("dry run of an apply", config("dry", { a: "2" }), { query: { dryRun: "All" } }),
  dry.apply("dry run of an apply with a conflict", config("dry", { a: "3" }), { manager: "m2", query: { dryRun: "All" } }),
  dry.force("dry run of a forced apply", config("dry", { a: "3" }), { manager: "m2", query: { dryRun: "All" } }),
  dry.update("dry run of an update", config("dry", { a: "4" }), { manager: "m2", query: { dryRun: "All" } }),
  dry.read("the applied value is still there"),

  twoAppliers.apply("first applier", config("two-appliers", { a: "1", s: "shared" })),
  twoAppliers.apply("second applier", config("two-appliers", { b: "1", s: "shared" }), { manager: "m2" }),
  twoAppliers.apply("both conflict with a third", config("two-appliers", { a: "2", b: "2", s: "other" }), { manager: "m3" }),
  twoAppliers.apply("the first drops the shared value", config("two-appliers", { a: "1" })),
  twoAppliers.apply("the second drops it too", config("two-appliers", { b: "1" }), { manager: "m2" }),
  twoAppliers.update("an update removes a value of the first", config("two-appliers", { b: "1" }), { manager: "m4" }),
  twoAppliers.apply("the first applies again", config("two-appliers", { a: "1" })),
  twoAppliers.update("an update that creates", config("two-appliers", { b: "1" }), { manager: "m1" }),
  subject(collection, "put").update("an update of what is not there", config("put", { b: "1" })),
  subject(collection, "yaml").apply(
    "YAML",
    raw("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\n  labels: {app: web}\ndata:\n  a: 'yes'\n  b: |\n    text\n"),
  ),
  subject(collection, "yaml").apply(
    "YAML of a number where text is expected",
    raw("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml}\ndata: {a: 1}\n"),
  ),
]
