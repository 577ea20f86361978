import { at, get, type Row } from "../row.ts"

const configMaps = at("configmaps")
/** Ends by itself where a server does not refuse it. */
const watching = { watch: "true", timeoutSeconds: "1" }
const theirFault = "a fault of the caller, which theirs takes for its own (500)"
const noProtobuf = "we do not write protobuf, and do not say that we do"
const token = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

const good = { v: "meta.k8s.io/v1", rv: 1, start: "a" }
const oddTokens: readonly (readonly [name: string, text: string])[] = [
  ["one letter more", `${token(good)}A`],
  ["two letters more", `${token(good)}AA`],
  ["three letters more", `${token(good)}AAA`],
  ["padding", `${token(good)}=`],
  ["another alphabet", `${token(good)}/`],
  ["one letter", "A"],
  ["a letter that is not ASCII", "é"],
  ["a list", token([])],
  ["a text", token("a")],
  ["null", token(null)],
  ["a text for the revision", token({ ...good, rv: "1" })],
  ["half a revision", token({ ...good, rv: 1.5 })],
  ["a number for the start", token({ ...good, start: 1 })],
  ["a number for the version", token({ ...good, v: 1 })],
  ["a slash at the end", token({ ...good, start: "a/" })],
]

/** Lists and watches that ask for what there is not. */
export const reading: readonly Row[] = [
  get("a label selector without a value", configMaps, { query: { labelSelector: "a in" } }),
  get("a label selector of an unknown operator", configMaps, { query: { labelSelector: "a ~ b" } }),
  get("a label selector with a bad key", configMaps, { query: { labelSelector: "-a=b" } }),
  get("a label selector with a bad value", configMaps, { query: { labelSelector: "a=b b" } }),
  get("a label selector with a long value", configMaps, { query: { labelSelector: `a=${"b".repeat(64)}` } }),
  get("a label selector that compares letters", configMaps, { query: { labelSelector: "a>b" } }),
  get("a label selector that ends early", configMaps, { query: { labelSelector: "a=b," } }),
  get("a field selector without an operator", configMaps, { query: { fieldSelector: "a" } }),
  get("a field selector of an unknown field", configMaps, { query: { fieldSelector: "data.colour=blue" } }),
  get("a field selector of an unknown field of pods", at("pods"), { query: { fieldSelector: "spec.nonsense=x" } }),
  get("a field selector of an unknown field in a group", at("apps/deployments"), { query: { fieldSelector: "spec.replicas=1" } }),
  get("a field selector of an unknown field of jobs", at("batch/jobs"), { query: { fieldSelector: "spec.x=1" } }),
  get("a field selector with an unfinished escape", configMaps, { query: { fieldSelector: "metadata.name=a\\b" } }),
  get("a limit that is none", configMaps, { query: { limit: "many" } }),
  get("a limit below zero", at("secrets"), { query: { limit: "-1" } }),
  get("a timeout that is none", configMaps, { query: { watch: "true", timeoutSeconds: "long" } }),
  get("a watch that is neither", configMaps, { query: { watch: "maybe", timeoutSeconds: "1" } }),
  get("a version that is none", configMaps, { query: { resourceVersion: "new" } }),
  get("a version below zero", configMaps, { query: { resourceVersion: "-1" } }),
  { ...get("a version that is none, one object", at("configmaps", "settings"), { query: { resourceVersion: "new" } }), alike: theirFault },
  get("a match without a version", configMaps, { query: { resourceVersionMatch: "Exact" } }),
  get("an unknown match", configMaps, { query: { resourceVersionMatch: "About", resourceVersion: "1" } }),
  get("exactly version 0", configMaps, { query: { resourceVersionMatch: "Exact", resourceVersion: "0" } }),
  get("a match with a continue", configMaps, { query: { resourceVersionMatch: "NotOlderThan", resourceVersion: "1", continue: "x" } }),
  get("a continue that is none", configMaps, { query: { continue: "nonsense", limit: "1" } }),
  get("a continue that is no JSON", configMaps, { query: { continue: Buffer.from("{").toString("base64url"), limit: "1" } }),
  get("a continue of another version", configMaps, { query: { continue: token({ v: "v7", rv: 1, start: "a" }), limit: "1" } }),
  get("a continue without a start", configMaps, { query: { continue: token({ v: "meta.k8s.io/v1", rv: 1 }), limit: "1" } }),
  get("a continue without a version", configMaps, { query: { continue: token({ v: "meta.k8s.io/v1", start: "a" }), limit: "1" } }),
  get("a continue that leads elsewhere", configMaps, {
    query: { continue: token({ v: "meta.k8s.io/v1", rv: 1, start: "../a" }), limit: "1" },
  }),
  get("a continue with a version beside it", configMaps, {
    query: { continue: token({ v: "meta.k8s.io/v1", rv: 1, start: "a\u0000" }), resourceVersion: "5", limit: "1" },
  }),
  ...oddTokens.map(([name, text]) => get(`a continue with ${name}`, configMaps, { query: { continue: text, limit: "1" } })),
  get("initial events of a list", configMaps, { query: { sendInitialEvents: "true" } }),
  get("initial events without a match", configMaps, { query: { sendInitialEvents: "true", ...watching } }),
  get("initial events of an exact version", configMaps, {
    query: { sendInitialEvents: "true", ...watching, resourceVersionMatch: "Exact", resourceVersion: "1" },
  }),
  get("a match on a watch without initial events", configMaps, {
    query: { ...watching, resourceVersionMatch: "NotOlderThan", resourceVersion: "1" },
  }),
  get("initial events that are neither", configMaps, { query: { sendInitialEvents: "maybe", ...watching } }),
  { ...get("a watch from a version that is none", configMaps, { query: { ...watching, resourceVersion: "new" } }), alike: theirFault },
  get("a watch with a bad selector", configMaps, { query: { ...watching, labelSelector: "a in" } }),
  get("a watch with an unknown field", configMaps, { query: { ...watching, fieldSelector: "data.a=b" } }),
  { ...get("a watch as an unknown type", configMaps, { query: { ...watching }, accept: "text/plain" }), alike: noProtobuf },
]
