import { type IncomingHttpHeaders, request } from "node:http"
import { connect } from "node:http2"
import { gzipSync } from "node:zlib"
import { type Attempt, type Row, refusals } from "./row.ts"
import { pause, within } from "./waiting.ts"
import { statusesIn } from "./wire.ts"

interface PlainAnswer {
  readonly status: number
  readonly text: string
  readonly headers: IncomingHttpHeaders
}

/** One request without TLS, as a page in a browser could have made it. */
function plain(url: string, method: string, headers: Readonly<Record<string, string>>): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false })
    sent.once("error", reject)
    sent.once("response", (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString(), headers: response.headers }),
      )
    })
    sent.end()
  })
}

const denied: readonly number[] = [400, 401, 403, 404, 405, 421]

/** A name that leads here only for the browser, and requests that another site's page makes. */
async function debugPages({ up, expectStatus }: Attempt): Promise<void> {
  const { discoveryDebug } = up.facts
  const page = (path: string, headers = {}, method = "GET") => plain(`${discoveryDebug}${path}`, method, headers)
  expectStatus("the registry, as a person asks for it", await page("/debug/registryz"), 200)
  for (const path of ["/debug/registryz", "/debug", "/metrics"]) {
    expectStatus(`${path} by the name of another site`, await page(path, { host: "evil.example" }), ...denied)
    expectStatus(`${path} by a name that begins as ours`, await page(path, { host: "localhost.evil.example" }), ...denied)
    expectStatus(`${path} by a name that begins as an address`, await page(path, { host: "127.0.0.1.evil.example" }), ...denied)
    expectStatus(`${path} for a page of another site`, await page(path, { origin: "http://evil.example" }), ...denied)
  }
  const foreign = { origin: "http://evil.example", "content-type": "text/plain" }
  expectStatus("a POST of another site's page", await page("/debug/cachez?clear=1", foreign, "POST"), ...denied)
  expectStatus("a POST without our header", await page("/debug/cachez?clear=1", {}, "POST"), ...denied)
  for (const key of ["constructor", "__proto__", "toString", "hasOwnProperty"])
    expectStatus(`/debug/${key}`, await page(`/debug/${key}`), 400, 404)
}

async function openStackPages({ up, expect, expectStatus }: Attempt): Promise<void> {
  const { openstack } = up.facts
  expect(openstack !== undefined, "the address of the embedded OpenStack", up.facts)
  const page = (headers: Readonly<Record<string, string>>) => plain(openstack!, "GET", headers)
  expectStatus("Keystone, as a client asks for it", await page({}), 200, 300)
  expectStatus("Keystone by the name of another site", await page({ host: "evil.example" }), ...denied)
  expectStatus("Keystone for a page of another site", await page({ origin: "http://evil.example" }), ...denied)
}

/** Parameters that are all different, as many as a line of a request holds. */
async function manyParameters({ up, expectStatus, expectTurns }: Attempt): Promise<void> {
  const query = Array.from({ length: 3900 }, (_, index) => index.toString(36)).join("&")
  for (const address of [`${up.facts.discoveryDebug}/debug/list`, up.facts.openstack ?? ""]) {
    expectStatus(`3,900 parameters for ${address}`, await plain(`${address}?${query}`, "GET", {}), 200, 300, ...refusals)
    await expectTurns(`3,900 parameters for ${address}`)
  }
}

/** Bodies of clients that have no token: neither parsed nor kept. */
async function anonymousBodies({ up, target, expect, expectStatus, expectTurns }: Attempt): Promise<void> {
  const { origin } = new URL(up.facts.openstack ?? "")
  const body = `{${Array.from({ length: 350_000 }, (_, index) => `"${index.toString(36)}":1`).join(",")}}`
  for (const path of ["/neutron/v2.0/ports", "/octavia/v2/lbaas/loadbalancers", "/keystone/v3/auth/tokens"]) {
    // A connection that is closed is a refusal as well.
    const status = await fetch(`${origin}${path}`, { method: "POST", body }).then(
      (answer) => answer.status,
      () => 413,
    )
    expectStatus(`4 MB for ${path}`, { status, text: "" }, ...refusals)
    await expectTurns(`4 MB for ${path}`)
  }
  const before = target.resident
  const unfinished = Array.from({ length: 200 }, () => {
    const sent = request(`${origin}/keystone/v3/auth/tokens`, { method: "POST", agent: false, headers: { "content-length": 4_000_000 } })
    sent.on("error", () => {})
    sent.write(Buffer.alloc(3_900_000, 32))
    return sent
  })
  await pause(4000)
  const grown = target.resident - before
  for (const sent of unfinished) sent.destroy()
  expect(grown < 200, "the process to grow by less than 200 MB", `${grown.toFixed(0)} MB`)
}

/** Nothing of the API server is for pages of other sites. */
async function apiPages({ anonymous, expect, expectStatus }: Attempt): Promise<void> {
  const preflight = { origin: "http://evil.example", "access-control-request-method": "POST" }
  const answer = await anonymous.send({ method: "OPTIONS", path: "/api/v1/secrets", headers: preflight })
  expectStatus("a preflight", answer, ...refusals)
  expect(answer.headers["access-control-allow-origin"] === undefined, "no leave for other origins", answer.headers)
  const { text } = await anonymous.raw("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n")
  expect(text.startsWith("HTTP/1.1 400"), "two Host headers to be refused", text)
  await expectsContinue(anonymous, expect)
}

/** A client that is not known is not asked for its body. */
async function expectsContinue(anonymous: Attempt["anonymous"], expect: Attempt["expect"]): Promise<void> {
  const expecting = "POST /api/v1/secrets HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n"
  const continued = await anonymous.raw(expecting, 400)
  expect(
    continued.text.startsWith("HTTP") && statusesIn(continued.text).every((status) => refusals.includes(Number(status))),
    "a refusal before 100 Continue",
    continued.text.slice(0, 200),
  )
}

/** A message of xDS: a flag, a length and bytes. */
function message(compressed: boolean, bytes: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head[0] = compressed ? 1 : 0
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/** gRPC messages that lie about themselves: a status comes back, and memory stays. */
async function xdsBombs({ up, target, expect }: Attempt): Promise<void> {
  const path = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources"
  const session = connect(`http://${up.facts.discovery}`)
  session.on("error", () => {})
  const call = (bytes: Buffer, headers = {}) => {
    const answered = new Promise<string>((resolve) => {
      const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", ...headers })
      stream.on("error", () => resolve("reset"))
      stream.once("response", (head) => head["grpc-status"] !== undefined && resolve(String(head["grpc-status"])))
      stream.once("trailers", (trailers) => resolve(String(trailers["grpc-status"])))
      stream.once("close", () => resolve("closed"))
      stream.resume()
      stream.end(bytes)
    })
    return within(answered, 10_000)
  }
  const before = target.resident
  const bomb = await call(message(true, gzipSync(Buffer.alloc(2 ** 28))), { "grpc-encoding": "gzip" })
  expect(bomb === "8" || bomb === "12" || bomb === "13" || bomb === "reset", "256 MB in a few bytes to be refused", bomb)
  const lie = await call(Buffer.from([0, 255, 255, 255, 255, 1, 2, 3]))
  expect(lie !== undefined && lie !== "0", "a length of 4 GB to be refused", lie)
  const garbage = await call(message(false, Buffer.from("ffffffffffffffffffffff", "hex")))
  expect(garbage === "3" || garbage === "13" || garbage === "reset", "garbage to be refused", garbage)
  const grown = target.resident - before
  expect(grown < 150, "the process to grow by less than 150 MB", `${grown.toFixed(0)} MB`)
  session.destroy()
}

/** Ports that speak without TLS on the loopback, and what browsers may do there. */
export const plainHttpRows: readonly Row[] = [
  { number: 15, name: "the debug port by DNS rebinding and from other sites", server: "up", attempt: debugPages },
  { number: 15, name: "the embedded OpenStack by DNS rebinding", server: "up", flags: ["--openstack"], attempt: openStackPages },
  { number: 30, name: "other origins and two hosts on the API server", server: "up", attempt: apiPages },
  {
    number: 30,
    name: "a body of an unknown client, on run",
    server: "run",
    attempt: ({ anonymous, expect }) => expectsContinue(anonymous, expect),
  },
  { number: 42, name: "3,900 parameters on the debug port", server: "up", flags: ["--openstack"], attempt: manyParameters },
  { number: 43, name: "bodies without a token for the embedded OpenStack", server: "up", flags: ["--openstack"], attempt: anonymousBodies },
  { number: 109, name: "messages of xDS that lie", server: "up", attempt: xdsBombs },
]
