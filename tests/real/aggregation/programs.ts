import type { Answer, Program, Received } from "./extension-server.ts"

/** The namespace of the Services, and the end of every group of this suite. */
export const [namespace, suffix] = ["aggregated", "aggregated.example.com"] as const

/** "echo.aggregated.example.com" */
export const groupOf = (name: string) => `${name}.${suffix}`

const discoveryType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

function resourceOf(group: string, version: string): object {
  return {
    resource: "things",
    responseKind: { group, version, kind: "Thing" },
    scope: "Namespaced",
    singularResource: "thing",
    verbs: ["create", "delete", "get", "list", "update", "watch"],
    shortNames: ["th"],
    categories: ["all"],
    subresources: [{ subresource: "status", responseKind: { group, version, kind: "Thing" }, verbs: ["get", "update"] }],
  }
}

function aggregated(group: string, versions: readonly string[]): Answer {
  const items = [
    {
      metadata: { name: group },
      versions: versions.map((version) => ({ version, resources: [resourceOf(group, version)], freshness: "Current" })),
    },
  ]
  const headers = { "content-type": discoveryType }
  return { headers, body: JSON.stringify({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items }) }
}

function resourceList(group: string, version: string): Answer {
  const verbs = ["create", "delete", "get", "list", "update", "watch"]
  const resources = [
    { name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs, shortNames: ["th"] },
    { name: "things/status", singularName: "", namespaced: true, kind: "Thing", verbs: ["get", "update"] },
  ]
  return { body: { kind: "APIResourceList", apiVersion: "v1", groupVersion: `${group}/${version}`, resources } }
}

function openApiOf(group: string, version: string): object {
  const id = (kind: string) => `com.example.aggregated.${group.split(".")[0]}.${version}.${kind}`
  const path = `/apis/${group}/${version}/namespaces/{namespace}/things/{name}`
  const responses = { "200": { description: "OK", schema: { $ref: `#/definitions/${id("Thing")}` } } }
  return {
    swagger: "2.0",
    info: { title: "Things", version: "v1" },
    paths: { [path]: { get: { operationId: `read${id("Thing").replaceAll(".", "")}`, responses } }, "/healthz/": {} },
    definitions: {
      [id("Thing")]: {
        type: "object",
        properties: { spec: { $ref: `#/definitions/${id("Spec")}` } },
        "x-kubernetes-group-version-kind": [{ group, version, kind: "Thing" }],
      },
      [id("Spec")]: { type: "object", properties: { size: { type: "integer" } } },
      [id("Unused")]: { type: "object" },
    },
  }
}

const hash = "A".repeat(64)

/** Says what it serves, and answers everything else with what it was sent. */
export function working(name: string, versions: readonly string[] = ["v1"], { legacy = false } = {}): Program {
  const group = groupOf(name)
  const at = new Map(versions.map((version) => [`/apis/${group}/${version}`, version]))
  return (request) => {
    const path = request.url.split("?")[0]!
    if (path === "/apis" && !legacy && String(request.headers.accept).includes("apidiscovery")) return aggregated(group, versions)
    const version = at.get(path)
    if (version !== undefined && request.method === "GET") return resourceList(group, version)
    if (path === "/openapi/v3") {
      const paths = versions.map((one) => [`apis/${group}/${one}`, { serverRelativeURL: `/openapi/v3/apis/${group}/${one}?hash=${hash}` }])
      return { body: { paths: Object.fromEntries(paths) as object } }
    }
    if (path.startsWith("/openapi/v3/")) return { body: { openapi: "3.0.0", info: { title: "Things", version: "v1" }, paths: {} } }
    if (path === "/openapi/v2") return { headers: { etag: '"1"' }, body: openApiOf(group, versions[0] ?? "v1") }
    if (path === "/apis") return { status: 406, body: "" }
    return scripted(request) ?? { body: { kind: "Echo", ...shown(request) } }
  }
}

/** Headers that differ between two servers by chance, or that only say which client connects. */
const volatile: ReadonlySet<string> = new Set(["audit-id", "content-length", "x-forwarded-for", "transfer-encoding", "connection"])

/** Go's client asks for gzip where the request says nothing, and undoes it before anyone sees the answer: of what clients see nothing depends on it. */
const askedByGo = '["gzip"]'

function shown({ headers, ...request }: Received): object {
  const kept = Object.entries(headers).filter(
    ([name, values]) => !volatile.has(name) && !(name === "accept-encoding" && JSON.stringify(values) === askedByGo),
  )
  return { ...request, headers: Object.fromEntries(kept) }
}

/** Answers by the last part of the path: ".../things/status-404". */
function scripted({ url }: Received): ReturnType<Program> | undefined {
  const word = url.split("?")[0]!.split("/").at(-1) ?? ""
  const status = /^status-(\d+)$/.exec(word)?.[1]
  if (status !== undefined) return { status: Number(status), body: Number(status) === 304 ? "" : { kind: "Status", code: Number(status) } }
  return scripts[word]
}

const scripts: Readonly<Record<string, ReturnType<Program>>> = {
  "hang-up": "hang up",
  text: { headers: { "content-type": "text/plain" }, body: "hello" },
  untyped: { body: "hello" },
  empty: {},
  cookies: { headers: { "set-cookie": ["a=1", "b=2; Path=/"] }, body: "{}" },
  warnings: { headers: { warning: ['299 - "one"', '299 - "two"'], "content-type": "application/json" }, body: "{}" },
  redirect: { status: 302, headers: { location: "/apis/elsewhere.example.com/v1" } },
  "absolute-redirect": { status: 307, headers: { location: "https://example.com/x" } },
  caching: { headers: { "cache-control": "max-age=5", etag: '"x"', "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT" }, body: "{}" },
  "www-authenticate": { status: 401, headers: { "www-authenticate": "Basic" }, body: "no" },
  large: { headers: { "content-type": "text/plain" }, body: "x".repeat(2_000_000) },
  lines: { headers: { "content-type": "application/json" }, body: '{"type":"ADDED","object":{}}\n{"type":"BOOKMARK","object":{}}\n' },
  cors: { headers: { "access-control-allow-origin": "*", "x-content-type-options": "nosniff", server: "thing" }, body: "{}" },
}

export const broken: ReadonlyMap<string, Program> = new Map<string, Program>([
  ["unauthorized", () => ({ status: 401, body: "no" })],
  ["missing", () => ({ status: 404 })],
  ["failing", () => ({ status: 500, body: { kind: "Status", status: "Failure", message: "oh" } })],
  ["redirecting", () => ({ status: 302, headers: { location: "/elsewhere" } })],
  ["hanging", () => "hang"],
  ["leaving", () => "hang up"],
  ["garbage", () => ({ body: "\u0000\u0001 garbage" })],
])
