import { patchContentTypes } from "@pilothouse/api/patch"
import { raw, type Step, subject } from "../step.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const there = subject(configMaps, "patch-bodies")
const absent = subject(configMaps, "patch-bodies-absent")
const dryRun = { query: { dryRun: "All" } }

const jsonPatches = [
  "",
  "null",
  "{}",
  "1",
  "[null]",
  "[1]",
  "[[]]",
  '["x"]',
  '[{"op":1,"path":"/a"}]',
  '[{"op":"add","path":1}]',
  '[{"op":"move","path":"/data/x","from":1}]',
  '[{"op":null,"path":"/a"}]',
  '[{"op":"add"}]',
  '[{"op":"test","path":"/data/k","value":"v"},1]',
  '[{"OP":"remove","path":"/data/k"}]',
]
const mergePatches = ["", "{", "null", "[1]", "1", "{}", '{"kind":"X"}', '{"kind":null}', '{"apiVersion":"v9"}', '{"apiVersion":"apps/v1"}']
const strategicPatches = [...mergePatches, '{"apiVersion":"a/b/c"}', '{"apiVersion":"o/v1","kind":"X","data":{"k":"w"}}']

const options = { kind: "DeleteOptions", apiVersion: "v1" }

/** What a delete says in its query beside a body is not read. */
const deletes: Readonly<Record<string, { readonly query?: Readonly<Record<string, string>>; readonly body?: unknown }>> = {
  "without a body, as a dry run": { query: { dryRun: "All" } },
  "without a body, with an unknown dry run": { query: { dryRun: "x" } },
  "with a list": { body: raw("[]") },
  "with a number": { body: raw("1") },
  "with a dry run in the body": { body: { ...options, dryRun: ["All"] } },
  "with a body and an unknown dry run in the query": { query: { dryRun: "x" }, body: options },
}
const lastDeletes: typeof deletes = {
  "with null and a dry run in the query": { query: { dryRun: "All" }, body: raw("null") },
  "with a body and a dry run in the query": { query: { dryRun: "All" }, body: options },
  "with an orphanDependents that is no word": { query: { orphanDependents: "x" } },
}

export const patchBodies: readonly Step[] = [
  there.create("create", { metadata: { name: "patch-bodies" }, data: { k: "v" } }),
  ...[there, absent].flatMap((one) => {
    const where = one === there ? "to what is there" : "to what is not there"
    return [
      ...jsonPatches.map((text) => one.json(`JSON patch ${text} ${where}`, raw(text), dryRun)),
      ...mergePatches.map((text) => one.merge(`merge patch ${text} ${where}`, raw(text), dryRun)),
      ...strategicPatches.map((text) => one.strategic(`strategic merge patch ${text} ${where}`, raw(text), dryRun)),
    ]
  }),
  there.merge("a type that is no patch's", {}, { contentType: "application/json" }),
  absent.merge("a type that is no patch's to what is not there", {}, { contentType: patchContentTypes.apply.replace("apply", "foo") }),
  ...Object.entries(deletes).map(([title, more]): Step => ({ ...there.remove(`delete ${title}`), ...more })),
  ...Object.entries(lastDeletes).flatMap(([title, more]): readonly Step[] => [
    there.create("create again", { metadata: { name: "patch-bodies" } }),
    { ...there.remove(`delete ${title}`), ...more },
    there.read(`read after delete ${title}`),
  ]),
]
