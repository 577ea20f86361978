import { type DialedServer, seededRandom, type TransportRequest, type TransportResponse, valueBody } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { type Authorizer, noRules } from "../authorization/authorizer.ts"
import { type Options, statusIn, testServer } from "../testing/server.ts"

const core = "/api/v1/namespaces/default"
type Sent = TransportRequest & { readonly to: DialedServer }

/** A server with pods "web" and "web-2" behind a Service "web", and what was sent to pods. */
async function proxying(answer: (sent: Sent) => TransportResponse = () => page("hello"), options: Options = {}) {
  const sent: Sent[] = []
  const dialPod = (to: DialedServer) => async (request: TransportRequest) => {
    sent.push({ ...request, to })
    return answer({ ...request, to })
  }
  const api = testServer("in process", { dialPod, random: seededRandom(7), ...options })
  for (const [name, ip] of [
    ["web", "10.244.0.7"],
    ["web-2", "10.244.0.8"],
  ] as const) {
    const containers = [
      { name: "side", image: "i" },
      { name: "main", image: "i", ports: [{ containerPort: 8080, name: "http" }] },
    ]
    await api.post(`${core}/pods`, { metadata: { name }, spec: { containers } })
    await api.patch(`${core}/pods/${name}/status`, "merge", { status: { podIP: ip, podIPs: [{ ip }] } })
  }
  const ports = [
    { name: "http", port: 80, targetPort: 8080 },
    { name: "tls", port: 443, targetPort: 8443 },
  ]
  await api.post(`${core}/services`, { metadata: { name: "web" }, spec: { ports } })
  const endpoint = (address: string, name: string | undefined, ready = true) => ({
    addresses: [address],
    conditions: { ready },
    ...(name !== undefined && { targetRef: { kind: "Pod", namespace: "default", name } }),
  })
  await api.post("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
    metadata: { name: "web-1", labels: { "kubernetes.io/service-name": "web" } },
    addressType: "IPv4",
    ports: [
      { name: "http", port: 8080 },
      { name: "tls", port: 8443 },
    ],
    endpoints: [
      endpoint("10.244.0.7", "web"),
      endpoint("10.244.0.8", "web-2"),
      // Of no pod, of a pod with another address, and not ready: none of them is asked.
      endpoint("10.9.9.9", undefined),
      endpoint("10.9.9.8", "web"),
      endpoint("10.9.9.7", "none"),
      endpoint("10.244.0.9", "web", false),
    ],
  })
  return { api, sent }
}

function page(text: string, headers: Record<string, string> = {}, status = 200): TransportResponse {
  return { status, headers, body: { type: "bytes", bytes: Buffer.from(text), contentType: "text/plain" } }
}

function textOf({ body }: TransportResponse): string {
  return body.type === "bytes" ? Buffer.from(body.bytes).toString() : ""
}

test.each([
  ["a pod at the first port that it declares", "pods/web/proxy/", "http://10.244.0.7:8080", "/"],
  ["a port", "pods/web:9090/proxy/a/b", "http://10.244.0.7:9090", "/a/b"],
  ["https", "pods/https:web:8443/proxy/a/", "https://10.244.0.7:8443", "/a/"],
  ["https at the declared port", "pods/https:web:/proxy/a", "https://10.244.0.7:8080", "/a"],
  ["a path with escapes", "pods/web/proxy/a%20b/%C3%A4", "http://10.244.0.7:8080", "/a%20b/%C3%A4"],
  ["a path that leads up", "pods/web/proxy/a/%2e%2e/%2e%2e/b", "http://10.244.0.7:8080", "/b"],
])("a request for %s", async (_, path, server, at) => {
  const { api, sent } = await proxying()
  expect(textOf(await api.get(`${core}/${path}`))).toBe("hello")
  expect(sent.map(({ to, path }) => [to.server, path, to.insecure])).toEqual([[server, at, true]])
})

test.each(["services/web:http/proxy/", "services/web:80/proxy/", "services/http:web:http/proxy/"])(
  "%s goes to any ready endpoint that is a pod of its namespace",
  async (path) => {
    const { api, sent } = await proxying()
    for (let turn = 0; turn < 40; turn++) await api.get(`${core}/${path}`)
    expect(new Set(sent.map(({ to }) => to.server))).toEqual(new Set(["http://10.244.0.7:8080", "http://10.244.0.8:8080"]))
  },
)

test.each([
  ["pods/none/proxy/", 404, 'pods "none" not found'],
  ["services/none:http/proxy/", 404, 'endpoints "none" not found'],
  ["services/none:80/proxy/", 404, 'services "none" not found'],
  ["pods/a:b:c:d/proxy/", 400, 'invalid pod request "a:b:c:d"'],
  ["pods/ftp:web:21/proxy/", 400, 'invalid pod request "ftp:web:21"'],
  ["services/:80/proxy/", 400, 'invalid service request ":80"'],
  ["pods/web:0/proxy/", 400, 'invalid pod request "web:0": expected the number of a port from 1 to 65535, found "0"'],
  ["pods/web:http/proxy/", 400, 'invalid pod request "web:http": expected the number of a port from 1 to 65535, found "http"'],
  ["services/web/proxy/", 503, 'no endpoints available for service "web"'],
  ["services/web:other/proxy/", 503, 'no endpoints available for service "web:other"'],
  ["services/web:81/proxy/", 503, 'no service port 81 found for service "web"'],
  ["pods/web/proxy/?dryRun=All", 400, "dryRun is not supported"],
])("%s is refused with %i: %s", async (path, code, message) => {
  const { api, sent } = await proxying()
  const [at = "", query] = path.split("?")
  expect(statusIn(await api.get(`${core}/${at}`, query === undefined ? {} : { dryRun: "All" }))).toMatchObject({ code, message })
  expect(sent).toEqual([])
})

test.each(["169.254.169.254", "0.0.0.0", "224.0.0.1", "fe80::1", "::", "::ffff:169.254.169.254"])(
  "a pod whose status says that it is at %s is not asked",
  async (ip) => {
    const { api, sent } = await proxying()
    await api.patch(`${core}/pods/web/status`, "merge", { status: { podIP: ip, podIPs: [{ ip }] } })
    expect(statusIn(await api.get(`${core}/pods/web/proxy/`))).toMatchObject({ code: 400, message: "address not allowed" })
    expect(sent).toEqual([])
  },
)

test("a loopback address is not asked where no network of pods knows whose it is", async () => {
  const { api } = await proxying(undefined, { dialPod: undefined, dial: () => async () => page("of this host") })
  await api.patch(`${core}/pods/web/status`, "merge", { status: { podIP: "127.0.0.1", podIPs: [{ ip: "127.0.0.1" }] } })
  expect(statusIn(await api.get(`${core}/pods/web/proxy/`))).toMatchObject({ code: 400, message: "address not allowed" })
})

test("what is sent says where it comes from, and has nothing of the caller's connection or credentials", async () => {
  const { api, sent } = await proxying()
  const headers = {
    authorization: "Bearer secret",
    connection: "keep-alive, x-hop",
    "x-hop": "1",
    te: "trailers",
    accept: "text/html",
    host: "h:1",
    "x-own": "2",
  }
  await api.ask("GET", `${core}/pods/web/proxy/a/`, { headers, query: { b: ["1", "2"], fieldManager: "\u0000" } })
  expect(sent[0]?.headers).toEqual({
    accept: "text/html",
    "x-own": "2",
    te: "trailers",
    host: "h:1",
    connection: "close",
    "x-forwarded-uri": `${core}/pods/web/proxy/a/`,
  })
  expect(sent[0]?.query).toEqual({ b: ["1", "2"], fieldManager: "\u0000" })
})

test.each(["POST", "PUT", "PATCH", "DELETE"] as const)("%s takes its body along, whatever it is", async (verb) => {
  const { api, sent } = await proxying(() => page("made", { "x-own": "1", "access-control-allow-origin": "*" }, 201))
  const answer = await api.ask(verb, `${core}/pods/web/proxy/a`, { body: { any: "thing" }, headers: { "content-type": "text/strange" } })
  expect([answer.status, answer.headers["x-own"], answer.headers["access-control-allow-origin"]]).toEqual([201, "1", undefined])
  expect(sent.map(({ verb, body }) => [verb, body])).toEqual([[verb, valueBody({ any: "thing" })]])
})

describe("answers", () => {
  test("a GET without a slash behind proxy is sent there", async () => {
    const { api, sent } = await proxying()
    const { status, headers } = await api.get(`${core}/pods/web/proxy`, { a: "1" })
    expect([status, headers.location, sent.length]).toEqual([301, `${core}/pods/web/proxy/?a=1`, 0])
    await api.post(`${core}/pods/web/proxy`, {})
    expect(sent[0]?.path).toBe("/")
  })

  test("a redirect is rewritten, and not followed", async () => {
    const { api, sent } = await proxying(() => page("", { location: "http://10.244.0.7:8080/login?x=1" }, 302))
    const { status, headers } = await api.get(`${core}/pods/web/proxy/a`)
    expect([status, headers.location, sent.length]).toEqual([302, `${core}/pods/web/proxy/login?x=1`, 1])
  })

  test("an answer leaves out what is of the connection to the pod, and the length of a body that a 204 does not have", async () => {
    const given = { connection: "close, X-Hop", "x-hop": "1", "x-own": "2", "content-length": "2" }
    for (const [status, length] of [
      [204, undefined],
      [304, "2"],
    ] as const) {
      const { api } = await proxying(() => page("HI", given, status))
      const { headers } = await api.get(`${core}/pods/web/proxy/a`)
      expect([headers["x-hop"], headers["x-own"], headers["content-length"]]).toEqual([undefined, "2", length])
    }
  })

  test("URLs of a page are rewritten, also of a compressed one; other answers stay", async () => {
    const { gzipSync } = await import("node:zlib")
    const html = Buffer.from('<a href="/x">\u00e4</a>')
    const bodies = [
      [{ "content-type": "text/html; charset=utf-8" }, html],
      [{ "content-type": "text/html", "content-encoding": "gzip", "content-length": "9" }, gzipSync(html)],
      [{ "content-type": "text/plain" }, html],
      [{ "content-type": "text/html", "content-encoding": "br" }, html],
    ] as const
    const wanted = `<a href="${core}/pods/web/proxy/x">\u00e4</a>`
    const found: string[] = []
    for (const [headers, bytes] of bodies) {
      const { api } = await proxying(() => ({ status: 200, headers, body: { type: "bytes", bytes, contentType: "" } }))
      found.push(textOf(await api.get(`${core}/pods/web/proxy/a/b`)))
    }
    expect(found).toEqual([wanted, wanted, html.toString(), html.toString()])
  })

  test("a pod that cannot be reached is a 503 with the words of the network", async () => {
    const { api } = await proxying(() => {
      throw new Error("dial tcp 10.244.0.7:8080: connect: connection refused")
    })
    expect(statusIn(await api.get(`${core}/pods/web/proxy/`))).toMatchObject({
      code: 503,
      reason: "ServiceUnavailable",
      message: "error trying to reach service: dial tcp 10.244.0.7:8080: connect: connection refused",
    })
  })
})

test("every method wants a right of its own on the proxy", async () => {
  const asked: unknown[] = []
  const authorizer: Authorizer = {
    authorize: (_, what) => {
      asked.push(what)
      return { allowed: true }
    },
    rules: () => noRules,
  }
  const { api } = await proxying(undefined, { authorizer })
  asked.length = 0
  for (const verb of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) await api.ask(verb, `${core}/services/web:80/proxy/`, {})
  const described = asked.map((what) => what as { verb: string; resource: string; subresource: string; name: string })
  expect(described.map(({ verb, resource, subresource, name }) => `${verb} ${resource}/${subresource} ${name}`)).toEqual(
    ["get", "create", "update", "patch", "delete"].map((verb) => `${verb} services/proxy web:80`),
  )
})
