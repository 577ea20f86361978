import { type Step, subject } from "../step.ts"

const collection = "/api/v1/namespaces/default/configmaps"
const a = subject(collection, "parameters")
const agents = subject(collection, "agents")

function config(name: string, data: object): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }
}

const body = config("parameters", { a: "1" })

export const parameters: readonly Step[] = [
  a.apply("apply without a manager", body, { manager: "" }),
  a.apply("apply without a manager, with a User-Agent", body, { manager: "", userAgent: "kubectl/1.36" }),
  a.apply("a manager of 128 bytes", body, { manager: "m".repeat(128) }),
  a.apply("a manager of 129 bytes", body, { manager: "m".repeat(129) }),
  a.apply("a manager of 65 letters of two bytes", body, { manager: "ü".repeat(65) }),
  a.apply("a control character in a manager", body, { manager: "a\u0007b" }),
  a.apply("a line break in a manager", body, { manager: "a\nb" }),
  a.apply("a space in a manager", body, { manager: "a b" }),
  a.apply("a no-break space in a manager", body, { manager: "a\u00a0b" }),
  a.create("create: a manager of 129 bytes", config("other", {}), { manager: "m".repeat(129) }),
  a.create("create: a control character in a manager", config("other", {}), { manager: "a\tb" }),
  a.update("update: a manager of 129 bytes", body, { manager: "m".repeat(129) }),
  a.update("update: a control character in a manager", body, { manager: "\u001b[1m" }),
  a.merge("merge patch: a manager of 129 bytes", { data: {} }, { manager: "m".repeat(129) }),
  a.merge("merge patch: a control character in a manager", { data: {} }, { manager: "\u0000" }),
  a.merge("force on a merge patch", { data: { b: "1" } }, { query: { force: "true" } }),
  a.merge("force=false on a merge patch", { data: { b: "1" } }, { query: { force: "false" } }),
  a.strategic("force on a strategic merge patch", { data: { b: "1" } }, { query: { force: "true" } }),
  a.json("force on a JSON patch", [], { query: { force: "true" } }),
  a.merge("force and a long manager on a merge patch", { data: { b: "1" } }, { manager: "m".repeat(129), query: { force: "true" } }),
  a.apply("a force that is no boolean", body, { query: { force: "perhaps" } }),
  a.apply("an unknown dry run", body, { query: { dryRun: "Some" } }),
  a.apply("an unknown field validation", body, { query: { fieldValidation: "Perhaps" } }),
  a.apply("no manager and an unknown dry run", body, { manager: "", query: { dryRun: "Some" } }),
  a.apply("an apply of an unknown patch type", body, { contentType: "application/unknown-patch+yaml" }),
  a.create("create with an unknown dry run and a long manager", config("other", {}), {
    manager: "m".repeat(129),
    query: { dryRun: "Some" },
  }),

  agents.create("User-Agent names the manager", config("agents", { a: "1" }), {
    manager: "",
    userAgent: "kubectl/v1.36.3 (linux/amd64) kubernetes/abc",
  }),
  agents.merge("a User-Agent without a version", { data: { b: "1" } }, { manager: "", userAgent: "tool" }),
  agents.merge("no User-Agent", { data: { c: "1" } }, { manager: "" }),
  agents.merge("a User-Agent with a space", { data: { d: "1" } }, { manager: "", userAgent: "my tool/1" }),
  agents.merge("a long User-Agent", { data: { e: "1" } }, { manager: "", userAgent: `${"t".repeat(200)}/1` }),
  agents.merge("a User-Agent that begins with a slash", { data: { f: "1" } }, { manager: "", userAgent: "/1" }),
  agents.merge("a User-Agent with a tab", { data: { g: "1" } }, { manager: "", userAgent: "a\tb/1" }),
  agents.merge("a User-Agent of Latin-1", { data: { h: "1" } }, { manager: "", userAgent: "\u00fcx/1" }),
  agents.merge("the parameter wins", { data: { i: "1" } }, { manager: "given", userAgent: "tool/1" }),
]
