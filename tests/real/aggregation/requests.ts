import type { ApiRequest } from "../api-client.ts"
import { groupOf } from "./programs.ts"

const things = `/apis/${groupOf("echo")}/v1/namespaces/default/things`
const body = { kind: "Thing", metadata: { name: "a" }, spec: { size: 1, text: "ü" } }
const get = (path: string, more: Partial<ApiRequest> = {}): ApiRequest => ({ verb: "GET", path: `${things}/${path}`, ...more })

const remote = {
  "x-remote-user": "root",
  "x-remote-group": ["system:masters", "x"],
  "x-remote-uid": "0",
  "x-remote-extra-a": "b",
  "x-remote-extra-": "c",
}

/** Sent to a server that echoes them, unless their path says otherwise. */
export const requests: Readonly<Record<string, ApiRequest>> = {
  "a list": { verb: "GET", path: things },
  "a list of all namespaces": { verb: "GET", path: `/apis/${groupOf("echo")}/v1/things` },
  "a list with a query": { verb: "GET", path: things, query: { labelSelector: "a in (b,c),d!=e", limit: "5", "x y": "ü&=%" } },
  "a get": get("a"),
  "a get with a slash at the end": get("a/"),
  "a get of an escaped name": get("a%2Fb%20c"),
  "a get of a subresource": get("a/status"),
  "a get of a deep path": get("a/proxy/b/c"),
  "a create": { verb: "POST", path: things, body },
  "a create of bytes": { verb: "POST", path: things, body: new Uint8Array([1, 2, 3]), contentType: "application/vnd.kubernetes.protobuf" },
  "an update": { verb: "PUT", path: `${things}/a`, body },
  "a patch": { verb: "PATCH", path: `${things}/a`, body, contentType: "application/merge-patch+json", query: { fieldManager: "x" } },
  "an apply": { verb: "PATCH", path: `${things}/a`, body, contentType: "application/apply-patch+yaml", query: { fieldManager: "x" } },
  "a delete": { verb: "DELETE", path: `${things}/a` },
  "a delete with options": {
    verb: "DELETE",
    path: `${things}/a`,
    body: { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 },
  },
  "a deletion of a collection": { verb: "DELETE", path: things, query: { labelSelector: "a=b" } },
  "headers that name a user": get("a", { headers: remote }),
  "headers of its own": get("a", {
    headers: { "x-thing": "1", "if-none-match": '"x"', cookie: "a=1", referer: "x" },
    userAgent: "things/1",
  }),
  "headers of the connection": get("a", { headers: { connection: "x-gone, keep-alive", "x-gone": "1", te: "trailers" } }),
  "what it accepts": get("a", { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" }),
  "encodings that the client accepts": get("a", { headers: { "accept-encoding": "br, gzip" } }),
  "an impersonated user": get("a", {
    headers: {
      "impersonate-user": "jane",
      "impersonate-group": ["dev", "system:masters"],
      "impersonate-uid": "7",
      "impersonate-extra-a%2Fb": ["x", "y"],
    },
  }),
  "a forwarded request": get("a", { headers: { "x-forwarded-host": "h", "x-forwarded-proto": "http", "x-forwarded-uri": "/u" } }),
  ...Object.fromEntries(
    [200, 201, 202, 204, 304, 400, 403, 404, 409, 410, 418, 422, 429, 500, 503].map((code) => [
      `an answer of ${code}`,
      get(`status-${code}`),
    ]),
  ),
  ...Object.fromEntries(
    [
      "text",
      "untyped",
      "empty",
      "cookies",
      "warnings",
      "redirect",
      "absolute-redirect",
      "caching",
      "www-authenticate",
      "large",
      "lines",
      "cors",
      "hang-up",
    ].map((word) => [`an answer: ${word}`, get(word)]),
  ),
  "a watch": { verb: "GET", path: `${things}/lines`, query: { watch: "true" } },
  "a path of no resource": { verb: "GET", path: `/apis/${groupOf("echo")}/v1/` },
  "the group version": { verb: "GET", path: `/apis/${groupOf("echo")}/v1` },
  "the group": { verb: "GET", path: `/apis/${groupOf("echo")}` },
  "a group with a slash at the end": { verb: "GET", path: `/apis/${groupOf("echo")}/` },
  "another version of the group": { verb: "GET", path: `/apis/${groupOf("echo")}/v2/things` },
  "a group that is not served": { verb: "GET", path: `/apis/${groupOf("unserved")}/v1/things` },
  ...Object.fromEntries(
    ["absent", "refused", "failing", "hanging", "unverified", "garbage"].map((name) => [
      `a list of one that is ${name}`,
      { verb: "GET", path: `/apis/${groupOf(name)}/v1/things` } as const,
    ]),
  ),
}
