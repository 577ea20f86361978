import { memoryMetrics, type Transport, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { debugPages } from "./debug.ts"

const host = "web.shop.svc.cluster.local"
const cluster = `outbound|8080||${host}`
const id = "sidecar~127.0.0.1~c1.shop~shop.svc.cluster.local"

function setUp() {
  const registry = new StaticRegistry()
  registry.put(testService("web"))
  registry.putEndpoints(host, [testEndpoint("10.0.0.1", 80)])
  const clock = new VirtualClock()
  const hub = new Hub({ registry, clock, metrics: memoryMetrics() })
  const client = new RawClient(hub)
  const pages = debugPages(hub)
  const ask = async (verb: "GET" | "POST", path: string, query: Record<string, string> = {}) => {
    const { status, body, headers } = await pages({ verb, path, query, headers: {} })
    const text = body.type === "bytes" ? new TextDecoder().decode(body.bytes) : ""
    return { status, text, allow: headers.allow, json: () => JSON.parse(text) }
  }
  const get = (path: string, query: Record<string, string> = {}) => ask("GET", path, query)
  return { registry, hub, client, clock, ask, get }
}

test("syncz says what each client was sent, accepted and refused, and how long ago", async () => {
  const { client, clock, get } = setUp()
  client.ask("cluster", [])
  client.ask("endpoint", [cluster])
  client.ack("cluster")
  client.ask("endpoint", [cluster], { nonce: client.received.at(-1)!.nonce, error: "malformed address" })
  await clock.advance(2_000)
  expect((await get("/debug/syncz")).json()).toMatchObject([
    { proxy: id, protocol: "sotw", cds: { state: "SYNCED", ackedAgo: 2_000 }, eds: { state: "NACK", nack: "malformed address", names: 1 } },
  ])
})

test("config_dump shows what a client was sent, unpacked", async () => {
  const { client, get } = setUp()
  client.ask("cluster", [])
  client.ask("listener", [])
  const dump = (await get("/debug/config_dump", { proxyID: id })).json()
  expect(dump.cds.map(({ name }: { name: string }) => name)).toContain(cluster)
  expect(JSON.stringify(dump.lds)).toContain("envoy.extensions.filters.http.router.v3.Router")
  expect((await get("/debug/config_dump", { proxyID: "unknown" })).status).toBe(404)
})

test("config_dump without a client says how to ask, and who is there", async () => {
  const { client, get } = setUp()
  const empty = await get("/debug/config_dump")
  expect([empty.status, empty.text]).toEqual([
    400,
    "expected the id of a client, /debug/config_dump?proxyID=ID, found none. No client is connected now.\n",
  ])
  client.ask("cluster", [])
  expect((await get("/debug/config_dump", { proxyID: "" })).text).toMatch(new RegExp(`found none\\. Connected are:\\n${id}\\n$`))
  expect((await get("/debug/config_dump", { proxyID: "unknown" })).text).toBe(`no such client is connected. Connected are:\n${id}\n`)
})

test("of many clients the first are named, and where the others are", async () => {
  const { hub, get } = setUp()
  for (let at = 0; at < 25; at++) new RawClient(hub, { node: { id: `c${at}` } }).ask("cluster", [])
  expect((await get("/debug/config_dump")).text).toMatch(/\nc19\n… and 5 more; \/debug\/syncz has them all\n$/)
})

test("stuckz lists what could not be taken in, the oldest first; there is none where no registry is configured", async () => {
  const { hub, get } = setUp()
  const failed = (key: string, since: number, givenUp = false) => ({ kind: "Service", key, attempts: 11, since, error: "no good", givenUp })
  const sources = [
    { cluster: "east", stuck: [failed("shop/new", 2_000), failed("shop/gone", 1_000, true)] },
    { cluster: "west", stuck: [failed("shop/old", 0)] },
  ]
  const { body } = await debugPages(hub, { sources })({ verb: "GET", path: "/debug/stuckz", query: {}, headers: {} })
  const row = { kind: "Service", attempts: 11, error: "no good" }
  expect(JSON.parse(body.type === "bytes" ? new TextDecoder().decode(body.bytes) : "")).toEqual([
    { cluster: "west", ...row, name: "shop/old", since: "1970-01-01T00:00:00.000Z" },
    { cluster: "east", ...row, name: "shop/gone", since: "1970-01-01T00:00:01.000Z", givenUp: true },
    { cluster: "east", ...row, name: "shop/new", since: "1970-01-01T00:00:02.000Z" },
  ])
  expect((await get("/debug/stuckz")).status).toBe(404)
})

test("edsz, registryz and endpointz show endpoints as told and as known", async () => {
  const { client, get } = setUp()
  client.ask("endpoint", [cluster])
  expect((await get("/debug/edsz")).json()).toMatchObject([{ clusterName: cluster }])
  expect((await get("/debug/registryz")).json()).toMatchObject([{ hostname: host }])
  expect((await get("/debug/endpointz")).json()[host]).toMatchObject([{ addresses: ["10.0.0.1"] }])
})

test("cachez counts what is kept; only POST clears it, so that a read changes nothing", async () => {
  const { client, get, ask } = setUp()
  client.ask("endpoint", [cluster])
  expect((await get("/debug/cachez")).json().envoy.endpoint.entries).toBe(1)
  expect(await get("/debug/cachez", { clear: "true" })).toMatchObject({
    status: 405,
    text: "GET is not allowed here; use POST\n",
    allow: "POST",
  })
  expect((await get("/debug/cachez")).json().envoy.endpoint.entries).toBe(1)
  expect((await ask("POST", "/debug/cachez", { clear: "true" })).json().envoy.endpoint.entries).toBe(0)
})

test("nothing else is taken by POST", async () => {
  const { ask } = setUp()
  for (const path of ["/debug/cachez", "/debug/syncz"]) expect(await ask("POST", path)).toMatchObject({ status: 405, allow: "GET" })
})

test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("/debug/%s is no page", async (name) => {
  const { get } = setUp()
  expect(await get(`/debug/${name}`)).toMatchObject({ status: 404 })
})

test("changez traces a change to its last ACK", async () => {
  const { client, registry, get } = setUp()
  client.ask("endpoint", [cluster])
  client.ack("endpoint", [cluster])
  registry.putEndpoints(host, [])
  await Promise.resolve()
  client.ack("endpoint", [cluster])
  expect((await get("/debug/changez")).json()[0]).toMatchObject({ hostname: host, streams: 1, acked: 1 })
})

test.each([
  ["/debug/nothing", 404],
  ["/other", 404],
  ["/debug", 200],
  ["/debug/", 200],
  ["/debug/list", 200],
  ["/ready", 200],
])("%s is answered with %i", async (path, status) => {
  expect((await setUp().get(path)).status).toBe(status)
})

test("not ready before the registry is", async () => {
  const { registry, get } = setUp()
  registry.synced = false
  expect((await get("/ready")).status).toBe(503)
})

test("/metrics has what the server counts, where it was given to it", async () => {
  const metrics = memoryMetrics()
  const hub = new Hub({ registry: new StaticRegistry(), clock: new VirtualClock(), metrics })
  const client = new RawClient(hub)
  client.ask("cluster", [])
  const ask = async (pages: Transport) => {
    const { status, body } = await pages({ verb: "GET", path: "/metrics", query: {}, headers: {} })
    return `${status} ${body.type === "bytes" ? new TextDecoder().decode(body.bytes) : ""}`
  }
  expect(await ask(debugPages(hub, { metricsText: () => metrics.text() }))).toMatch(/^200 [^]*^pilot_xds_pushes\{type="cds"\} 1$/m)
  expect(await ask(debugPages(hub))).toMatch(/^404 there are no metrics here\. Under "pilothouse up" .* kubectl get --raw \/metrics/)
})
