import type { Body, Query, Random, TransportRequest, Verb } from "@pilothouse/seams"
import { hitProtobuf, hitYaml } from "./encoded-bodies.ts"
import { everyKind } from "./every-kind.ts"
import { goodObjects, spoiled } from "./objects.ts"

const verbs: readonly Verb[] = ["GET", "POST", "PUT", "PATCH", "DELETE"]
const texts = [
  "",
  "a",
  "-1",
  "0",
  "1e999",
  "%",
  "../..",
  "__proto__",
  "constructor",
  "\u0000",
  "💥",
  "a=b,c in (d",
  "!",
  "a==,=",
  "=".repeat(300),
]
const groups = [
  "/api/v1",
  "/apis/apps/v1",
  "/apis/batch/v1",
  "/apis/autoscaling/v1",
  "/apis/autoscaling/v2",
  "/apis/coordination.k8s.io/v1",
  "/apis/nope/v1",
]
const plurals = [
  "pods",
  "configmaps",
  "services",
  "deployments",
  "jobs",
  "horizontalpodautoscalers",
  "leases",
  "nodes",
  "events",
  "secrets",
]
const subresources = [
  "status",
  "scale",
  "binding",
  "eviction",
  "log",
  "exec",
  "proxy",
  "token",
  "resize",
  "ephemeralcontainers",
  "finalize",
  "nope",
]
const parameters = [
  "watch",
  "limit",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "labelSelector",
  "fieldSelector",
  "dryRun",
  "timeoutSeconds",
]
const more = [
  "fieldValidation",
  "sendInitialEvents",
  "allowWatchBookmarks",
  "gracePeriodSeconds",
  "propagationPolicy",
  "force",
  "timeout",
  "tailLines",
]
const types = ["application/json", "application/vnd.kubernetes.protobuf", "application/json-patch+json", "application/merge-patch+json"]
const moreTypes = ["application/strategic-merge-patch+json", "application/apply-patch+yaml", "text/plain", "", ";;;"]
const accepts = [
  "application/json",
  "*/*",
  "application/json;as=Table;g=meta.k8s.io;v=v1",
  "application/json;as=Nope;v=v1;g=x",
  "image/png",
  ";;,",
  "",
]
const fields = [
  "metadata",
  "name",
  "generateName",
  "namespace",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
  "resourceVersion",
  "uid",
]
const moreFields = [
  "spec",
  "containers",
  "template",
  "selector",
  "replicas",
  "ports",
  "resources",
  "limits",
  "cpu",
  "status",
  "data",
  "kind",
  "apiVersion",
  "$patch",
]

/** Requests as a careless or malicious client would send them; the same for the same seed. */
export function fuzzRequest(random: Random): TransportRequest {
  const way = random.int(3)
  if (way === 0) return everyKind(random)
  if (way === 1) return nearlyGood(random)
  const verb = one(random, verbs)
  const headers = { accept: one(random, accepts), "content-type": one(random, [...types, ...moreTypes]) }
  const request = { verb, path: path(random), query: query(random), headers }
  return verb === "GET" ? request : { ...request, body: body(random, headers["content-type"]) }
}

/** In the right place and in the right form, with an object that is wrong in one place; sometimes in none. */
function nearlyGood(random: Random): TransportRequest {
  const where = one(random, Object.keys(goodObjects))
  const [group, plural] = where.split(" ")
  const verb = one(random, verbs)
  const name = verb === "POST" ? [] : [one(random, ["a", "b"])]
  const sub = name.length > 0 && random.int(4) === 0 ? [one(random, subresources)] : []
  const good = { metadata: { name: name[0] ?? one(random, ["a", "b"]), labels: { a: "b" }, finalizers: ["x/y"] }, ...goodObjects[where] }
  const value = random.int(5) === 0 ? good : spoiled(random, good, () => leaf(random))
  const patchType = one(random, types.slice(2).concat(moreTypes.slice(0, 1)))
  const headers = verb === "PATCH" ? { "content-type": patchType } : { "content-type": "application/json" }
  const path = [group, "namespaces", "default", plural, ...name, ...sub].join("/")
  const encoded = (verb === "POST" || verb === "PUT") && random.int(3) === 0
  if (encoded) {
    const body = random.int(2) === 0 ? hitProtobuf(random, group!, plural!, good) : hitYaml(random, value)
    return { verb, path, query: {}, headers: { "content-type": body.contentType }, body }
  }
  const isList = verb === "PATCH" && patchType === "application/json-patch+json"
  return {
    verb,
    path,
    query: random.int(4) === 0 ? query(random) : {},
    headers,
    body: { type: "value", value: isList ? patchList(random) : value },
  }
}

function one<T>(random: Random, list: readonly T[]): T {
  return list[random.int(list.length)]!
}

function path(random: Random): string {
  const group = random.int(3) === 0 ? one(random, groups) : "/api/v1"
  const parts = [one(random, plurals), ...(random.int(3) > 0 ? [random.int(3) > 0 ? "a" : encodeURIComponent(one(random, texts))] : [])]
  const sub = parts.length > 1 && random.int(3) === 0 ? [one(random, subresources)] : []
  const namespace = random.int(4) > 0 ? ["namespaces", "default"] : []
  const whole = [group, ...namespace, ...parts, ...sub].join("/")
  return random.int(20) === 0 ? whole.slice(0, random.int(whole.length) + 1) + one(random, ["%", "//", "/watch/", "?"]) : whole
}

function query(random: Random): Query {
  const names = Array.from({ length: random.int(4) }, () => one(random, [...parameters, ...more]))
  const values = [
    ...texts,
    "true",
    "All",
    "Exact",
    "NotOlderThan",
    "Strict",
    "metadata.name=a",
    "app in (a,b),!c",
    "eyJydiI6LTF9",
    "99999999",
  ]
  return Object.fromEntries(
    names.map((name) => [name, random.int(5) === 0 ? [one(random, values), one(random, values)] : one(random, values)]),
  )
}

function body(random: Random, contentType: string): Body {
  const way = random.int(4)
  if (way === 0) return { type: "bytes", bytes: random.bytes(random.int(64)), contentType }
  const value = random.int(4) === 0 ? patchList(random) : objectLike(random, 4)
  if (way === 1) return { type: "value", value }
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  // Cut or hit somewhere, as a broken connection or a flipped bit would leave it.
  if (way === 2) return { type: "bytes", bytes: bytes.slice(0, random.int(bytes.length + 1)), contentType }
  return { type: "bytes", bytes, contentType }
}

function patchList(random: Random): unknown {
  const paths = [
    "/metadata/labels/a",
    "/spec/replicas",
    "/",
    "",
    "/metadata/name",
    "/spec/containers/-",
    "/spec/containers/99",
    "/~2",
    "nope",
  ]
  const operation = () => ({
    op: one(random, ["add", "remove", "replace", "test", "move", "copy", "nope"]),
    path: one(random, paths),
    from: one(random, paths),
    value: leaf(random),
  })
  return Array.from({ length: random.int(4) }, operation)
}

function objectLike(random: Random, depth: number): unknown {
  if (depth === 0 || random.int(6) === 0) return leaf(random)
  if (random.int(5) === 0) return Array.from({ length: random.int(3) }, () => objectLike(random, depth - 1))
  const names = Array.from({ length: random.int(5) + 1 }, () => one(random, [...fields, ...moreFields, ...texts]))
  const inner = Object.fromEntries(names.map((name) => [name, objectLike(random, depth - 1)]))
  return depth === 4 ? { ...inner, metadata: { name: "a", ...(random.int(2) === 0 && { labels: objectLike(random, 1) }) } } : inner
}

function leaf(random: Random): unknown {
  return one(random, [null, true, 0, -1, 1.5, 2 ** 53, 1e308, [], {}, ...texts, "100m", "2020-01-01T00:00:00Z"])
}
