import { encodeProtobuf, protobufContentType } from "@pilothouse/api/protobuf"
import type { Body, Query, Random, TransportRequest, Verb } from "@pilothouse/seams"
import { hostileJson } from "./hostile-json.ts"
import { collectionOf, type FuzzedKind, fuzzedKinds, valueOf } from "./kinds.ts"

const verbs: readonly Verb[] = ["GET", "POST", "POST", "PUT", "PUT", "PATCH", "PATCH", "DELETE"]
const patchTypes = ["application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json"]
const accepts = [
  "application/json",
  "application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  "application/vnd.kubernetes.protobuf,application/json",
  "application/yaml",
]

/** Any kind, any of its subresources, any verb; objects with fields of every type, in JSON of every sort and in protobuf. */
export function everyKind(random: Random): TransportRequest {
  const kind = one(random, fuzzedKinds)
  const verb = one(random, verbs)
  const name = one(random, ["a", "b", "10.0.0.9"])
  const named = verb !== "POST" && (verb !== "GET" || random.int(2) === 0) && random.int(12) > 0
  const sub = random.int(4) === 0 && kind.subresources.length > 0 ? one(random, kind.subresources) : undefined
  const collection = collectionOf(kind)
  const path = named || sub !== undefined ? [collection, name, ...(sub === undefined ? [] : [sub])].join("/") : collection
  const contentType = verb === "PATCH" ? one(random, patchTypes) : "application/json"
  const request = { verb, path, query: queryFor(random, verb), headers: { accept: one(random, accepts), "content-type": contentType } }
  if (verb === "GET") return request
  const body = bodyFor(random, kind, { verb, name, contentType })
  return { ...request, headers: { ...request.headers, "content-type": body.type === "bytes" ? body.contentType : contentType }, body }
}

interface Asked {
  readonly verb: Verb
  readonly name: string
  readonly contentType: string
}

function bodyFor(random: Random, kind: FuzzedKind, { verb, name, contentType }: Asked): Body {
  const { apiVersion, kind: word, schema } = kind
  const drawn = valueOf(random, schema) as Record<string, unknown>
  const metadata = random.int(6) === 0 ? (drawn["metadata"] ?? {}) : { name, labels: { a: "b" } }
  const object = { ...drawn, apiVersion, kind: word, metadata }
  if (verb === "PATCH" && contentType === patchTypes[0]) return { type: "value", value: operations(random, object) }
  if (verb === "PATCH" && random.int(3) === 0) return { type: "value", value: withDirectives(random, object) }
  const way = random.int(8)
  if (way < 2) return hostileJson(random, object, contentType)
  if (way === 2 && verb !== "PATCH") return { type: "bytes", bytes: protobufOf(random, object), contentType: protobufContentType }
  return { type: "value", value: JSON.parse(JSON.stringify(object)) }
}

/** Of this kind, or of another that is sent where it does not belong. */
function protobufOf(random: Random, object: object): Uint8Array {
  const other = random.int(4) === 0 ? one(random, fuzzedKinds) : undefined
  try {
    return encodeProtobuf(other === undefined ? object : { ...object, apiVersion: other.apiVersion, kind: other.kind })
  } catch {
    // A value that has no place in the bytes (a text where a number belongs): then anything will do.
    return random.bytes(40)
  }
}

const places = [
  "",
  "/spec",
  "/status",
  "/metadata/labels",
  "/metadata/finalizers",
  "/spec/template",
  "/data",
  "/rules",
  "/nope/nope",
  "/spec/-",
]

function operations(random: Random, object: Readonly<Record<string, unknown>>): unknown {
  const keys = Object.keys(object)
  return Array.from({ length: 1 + random.int(3) }, () => {
    const key = one(random, keys)
    const path = random.int(2) === 0 ? `/${key}` : one(random, places)
    return { op: one(random, ["add", "remove", "replace", "test", "move", "copy"]), path, from: one(random, places), value: object[key] }
  })
}

/** What only strategic patches know, in places where it belongs and where it does not. */
function withDirectives(random: Random, object: Readonly<Record<string, unknown>>): unknown {
  const directives: readonly Readonly<Record<string, unknown>>[] = [
    { $patch: one(random, ["delete", "replace", "merge", "nope"]) },
    { "$setElementOrder/containers": [{ name: "c" }, 7] },
    { "$deleteFromPrimitiveList/finalizers": ["x", null] },
    { $retainKeys: one<unknown>(random, [["type"], "type", null]) },
  ]
  const spoil = (value: unknown, depth: number): unknown => {
    if (depth > 6 || typeof value !== "object" || value === null) return value
    if (Array.isArray(value))
      return [...value.map((item) => spoil(item, depth + 1)), ...(random.int(5) === 0 ? [one(random, directives)] : [])]
    const inner = Object.fromEntries(
      Object.entries(value).map(([key, nested]) => [key, random.int(9) === 0 ? null : spoil(nested, depth + 1)]),
    )
    return random.int(4) === 0 ? { ...inner, ...one(random, directives) } : inner
  }
  return spoil(object, 0)
}

/** Tokens of this server in form, of other revisions and other places. */
const tokens = [
  { v: "meta.k8s.io/v1", rv: 3, start: "default/a\u0000" },
  { v: "meta.k8s.io/v1", rv: -1, start: "/../../x" },
  { v: "meta.k8s.io/v1", rv: 1e18, start: "" },
  { v: "meta.k8s.io/v2", rv: 3, start: "a" },
  { v: "meta.k8s.io/v1", rv: "3", start: 7 },
].map((token) => Buffer.from(JSON.stringify(token)).toString("base64url"))

const selectors = [
  "a=b",
  "a in (b,c),!d",
  `a in (${"x,".repeat(20_000)}y)`,
  "a,".repeat(5_000),
  "((",
  "a=".repeat(400),
  "metadata.name=a,metadata.name!=b",
]
const revisions = ["0", "1", "5", "99999999", "-1", "18446744073709551616", "1.5"]
const watching = { watch: "true", timeoutSeconds: "1" }

function queryFor(random: Random, verb: Verb): Query {
  const choices: readonly (() => Query)[] = [
    () => ({}),
    () => ({ dryRun: "All", fieldValidation: one(random, ["Strict", "Warn", "Ignore"]) }),
    () => ({ labelSelector: one(random, selectors), limit: one(random, ["1", "0", "-1", "500"]) }),
    () => ({ fieldSelector: one(random, selectors) }),
    () => ({ continue: one(random, tokens), limit: "1", ...(random.int(2) === 0 && { resourceVersion: one(random, revisions) }) }),
    () => ({ resourceVersion: one(random, revisions), resourceVersionMatch: one(random, ["Exact", "NotOlderThan", ""]) }),
    () => ({ ...watching, resourceVersion: one(random, revisions), allowWatchBookmarks: one(random, ["true", "1", "x"]) }),
    () => ({ ...watching, sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", labelSelector: one(random, selectors) }),
    () => ({ gracePeriodSeconds: one(random, ["0", "-1", "x"]), propagationPolicy: one(random, ["Orphan", "Foreground", "Background"]) }),
  ]
  if (verb === "GET") return one(random, choices)()
  return random.int(3) === 0 ? one(random, choices)() : {}
}

function one<T>(random: Random, list: readonly T[]): T {
  return list[random.int(list.length)]!
}
