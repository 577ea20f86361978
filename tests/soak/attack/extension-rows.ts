import { join } from "node:path"
import { answered, dripping, endless, type HostileAnswer, HostileExtension, raw } from "./hostile-extension.ts"
import { peakWithGarbage, watchResident } from "./resident.ts"
import type { Attempt, Row } from "./row.ts"
import { isTrueWithin, pause, within } from "./waiting.ts"

const group = "hostile.example.com"
const apiService = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`
const discovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
const chunked = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
const megabyte = Buffer.from(`100000\r\n${"x".repeat(2 ** 20)}\r\n`)
const list = (path: string) => JSON.stringify({ kind: "APIResourceList", groupVersion: `${group}/v1`, resources: [], path })

/** What of HTTP every reader of another server gets, all of it nonsense or too much. */
export const hostileAnswers: readonly (readonly [name: string, answer: HostileAnswer])[] = [
  ["bytes without end", endless(chunked, megabyte)],
  ["headers without end", endless("HTTP/1.1 200 OK\r\n", `x-a: ${"b".repeat(1000)}\r\n`)],
  ["interim answers without end", endless("", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n")],
  ["chunk extensions without end", endless(`${chunked}1;`, "a=b;".repeat(1000))],
  ["trailers without end", endless(`${chunked}0\r\n`, `x-a: ${"b".repeat(1000)}\r\n`)],
  ["a byte at a time", dripping(chunked, "1\r\na\r\n")],
  ["nothing", () => {}],
  [
    "an upgrade that was not asked for",
    raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\nhello", { ends: false }),
  ],
  ["a redirect", answered("", { location: "http://169.254.169.254/latest/meta-data/" }, "302 Found")],
  ["two lengths", raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 50\r\n\r\nhello", { ends: false })],
  [
    "a length and chunks",
    raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", { ends: false }),
  ],
  ["less than its length", raw("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhello")],
  [
    "more than its length",
    raw(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello${"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx".repeat(100)}`, { ends: false }),
  ],
  ["a negative length", raw("HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nhello", { ends: false })],
  ["status 999", answered("{}", {}, "999 Odd")],
  ["status 000", answered("{}", {}, "000 Odd")],
  ["no HTTP", raw("SSH-2.0-OpenSSH\r\n", { ends: false })],
  [
    "headers that are ours",
    answered("{}", {
      "audit-id": "mine",
      "x-remote-user": "root",
      connection: "x-own, close",
      "x-own": "1",
      "set-cookie": "a=b",
      "keep-alive": "timeout=9999",
    }),
  ],
  ["compressed bytes that grow", answered("x", { "content-encoding": "gzip" })],
]

/** What every part of the server that reads an extension server gets. */
const answers: readonly (readonly [name: string, answer: HostileAnswer])[] = [
  ...hostileAnswers,
  ["4 MB of brackets", answered("[".repeat(2_000_000) + "]".repeat(2_000_000), { "content-type": discovery })],
  ["4 MB of nested objects", answered('{"items":'.repeat(400_000) + "0" + "}".repeat(400_000), { "content-type": discovery })],
  ["40,000 resources", answered(manyResources(40_000), { "content-type": discovery })],
  ["40,000 group versions", answered(manyVersions(40_000), { "content-type": discovery })],
  [
    "keys of the prototype",
    answered(
      `{"__proto__":{"polluted":"yes"},"items":[{"metadata":{"name":"__proto__"},"versions":[{"version":"constructor","resources":[{"resource":"__proto__"}]}]}]}`,
      { "content-type": discovery },
    ),
  ],
]

function manyResources(count: number): string {
  const resources = Array.from({ length: count }, (_, index) => ({
    resource: `r${index}`,
    responseKind: { kind: "K" },
    scope: "Namespaced",
    verbs: ["get"],
  }))
  return JSON.stringify({ items: [{ metadata: { name: group }, versions: [{ version: "v1", resources }] }] })
}

function manyVersions(count: number): string {
  const items = Array.from({ length: count }, (_, index) => ({
    metadata: { name: `g${index}.example.com` },
    versions: [{ version: "v1", resources: [] }],
  }))
  return JSON.stringify({ items })
}

async function install({ admin, expectStatus }: Attempt, port: number): Promise<void> {
  const namespace = "/api/v1/namespaces/default"
  const service = { metadata: { name: "hostile" }, spec: { ports: [{ port: 443, targetPort: port }] } }
  expectStatus("the Service", await admin.create(`${namespace}/services`, service), 201)
  const slice = {
    metadata: { name: "hostile-1", labels: { "kubernetes.io/service-name": "hostile" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: true } }],
    ports: [{ name: "", port, protocol: "TCP" }],
  }
  expectStatus("its endpoints", await admin.create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", slice), 201)
}

async function register({ admin, expectStatus }: Attempt): Promise<void> {
  const spec = {
    group,
    version: "v1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: { namespace: "default", name: "hostile", port: 443 },
  }
  const created = await admin.create("/apis/apiregistration.k8s.io/v1/apiservices", { metadata: { name: `v1.${group}` }, spec })
  expectStatus("the APIService", created, 201)
}

/** An extension server whose every answer is hostile: what it can break are the requests that are for it. */
async function hostileExtension(attempt: Attempt): Promise<void> {
  const { admin, anonymous, directory, expect, expectStatus, expectTurns } = attempt
  await using extension = await HostileExtension.start(join(directory, "extension"))
  const working: HostileAnswer = (socket, head, body) => answered(list(head))(socket, head, body)
  await install(attempt, extension.port)
  const stop = watchResident(attempt)
  for (const [name, answer] of answers) {
    // Available first, and then hostile: discovery, the documents of OpenAPI and requests all meet the answer.
    extension.answer = working
    await register(attempt)
    const isReady = async () => (await admin.send({ path: `/apis/${group}/v1/things` })).status === 200
    expect(await isTrueWithin(isReady, 15_000), `the extension server to be available before ${name}`, "that it is not")
    extension.answer = answer
    await admin.send({
      method: "PATCH",
      path: apiService,
      headers: { "content-type": "application/merge-patch+json" },
      body: { metadata: { labels: { a: "b" } } },
    })
    const paths = [`/apis/${group}/v1/things`, `/apis/${group}/v1`, `/apis/${group}/v1/things?watch=1`, `/openapi/v3/apis/${group}/v1`]
    const sent = paths.map((path) => within(anonymousOrLeft(admin, path), 1500))
    const healthy = await admin.send({ path: "/api/v1/namespaces/default" })
    expectStatus(`another request beside ${name}`, healthy, 200)
    await Promise.all(sent)
    for (const path of ["/apis", "/openapi/v2", "/openapi/v3"])
      expectStatus(`${path} beside ${name}`, await admin.send({ path, headers: path === "/apis" ? { accept: discovery } : {} }), 200)
    await pause(300)
    expectStatus("the removal", await admin.send({ method: "DELETE", path: apiService }), 200)
    admin.leave()
    const isLeft = await isTrueWithin(() => extension.connections === 0, 20_000)
    expect(isLeft, `no connection to the extension server after ${name}`, extension.connections)
    await expectTurns(name)
  }
  const grown = stop()
  expect(grown < peakWithGarbage, `the process to grow by less than ${peakWithGarbage} MB`, `${grown.toFixed(0)} MB`)
  expect((await anonymous.send({ path: "/livez" })).status === 200, "that it serves", "that it does not")
}

/** An answer that never comes is left. */
async function anonymousOrLeft(admin: Attempt["admin"], path: string): Promise<void> {
  const session = admin.session()
  const stream = session.request({ ":path": path })
  const over = new Promise<void>((resolve) => stream.once("close", resolve))
  stream.on("error", () => {})
  stream.resume()
  await within(over, 1000)
  session.destroy()
}

export const extensionRows: readonly Row[] = [
  {
    number: 70,
    name: "an extension server that answers nonsense",
    server: "up",
    flags: ["--ephemeral", "--exec"],
    descriptors: 2,
    attempt: hostileExtension,
  },
]
