import { once } from "node:events"
import { connect } from "node:http2"
import { type Clock, memoryMetrics, silentLog, type Transport, VirtualClock, valueBody, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { describe, expect, test } from "vitest"
import { administrator, type Identity } from "../../authentication/identity.ts"
import { ensureCertificates } from "../../certificates/ensure-certificates.ts"
import type { RequestHead } from "../../server/edge-transport.ts"
import { authenticatedTransports, authenticator } from "../authenticate.ts"
import { serveHttps } from "../serve.ts"
import { ask, textOf } from "../testing/client.ts"
import { InFlight, TooManyInFlight } from "./in-flight.ts"

const head = (verb: RequestHead["verb"], path: string, query: RequestHead["query"] = {}): RequestHead => ({
  verb,
  path,
  query,
  headers: {},
})
const reading = head("GET", "/api/v1/pods")
const writing = head("POST", "/api/v1/namespaces/default/pods")

describe("room for requests", () => {
  test("is limited apart for those that read and those that write, and is there again when one is over", () => {
    const inFlight = new InFlight(new VirtualClock(), { maxRequests: 2, maxMutatingRequests: 1 })
    const slot = inFlight.enter(reading, false)
    inFlight.enter(reading, false)
    inFlight.enter(writing, false)
    expect(() => inFlight.enter(reading, false)).toThrow(TooManyInFlight)
    expect(() => inFlight.enter(writing, false)).toThrow(TooManyInFlight)
    inFlight.leave(slot)
    inFlight.enter(reading, false)
  })

  test("is not taken by watches and logs, nor limited where the limit is 0", () => {
    const inFlight = new InFlight(new VirtualClock(), { maxRequests: 1, maxMutatingRequests: 0 })
    inFlight.enter(reading, false)
    const long = [head("GET", "/api/v1/pods", { watch: "1" }), head("GET", "/api/v1/namespaces/a/pods/b/log")]
    for (const one of long) expect(inFlight.enter(one, false)).toBeUndefined()
    for (let at = 0; at < 10; at++) expect(inFlight.enter(writing, false)).toBeUndefined()
  })

  test("is taken by a write that says it is a watch", () => {
    const inFlight = new InFlight(new VirtualClock(), { maxRequests: 1, maxMutatingRequests: 1 })
    expect(inFlight.enter(head("POST", "/api/v1/namespaces/default/pods", { watch: "1" }), false)).toBeDefined()
  })

  test("is shown as the most of the last second, and what was refused is counted", async () => {
    const [clock, metrics] = [new VirtualClock(), memoryMetrics()]
    using inFlight = new InFlight(clock, { maxRequests: 2, maxMutatingRequests: 1 }, metrics)
    const slots = [inFlight.enter(reading, false), inFlight.enter(reading, false)]
    expect(() => inFlight.enter(reading, false)).toThrow()
    for (const slot of slots) inFlight.leave(slot)
    const gauge = () => metrics.value("apiserver_current_inflight_requests", { request_kind: "readOnly" })
    await clock.advance(1000)
    expect(gauge()).toBe(2)
    await clock.advance(1000)
    expect(gauge()).toBe(0)
    // Without requests there is nothing to measure.
    expect(clock.waiting()).toEqual([])
    const refused = { verb: "LIST", scope: "cluster", component: "apiserver", code: "429" }
    expect(metrics.value("apiserver_request_terminations_total", refused)).toBe(1)
  })
})

test("a request too many is answered with 429 and upstream's words before its body is read; an administrator's is answered", async () => {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom() }
  const certificates = await ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
  const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const user: Identity = { name: "jane", groups: [] }
  const answered: string[] = []
  const transport: Transport = async ({ path }) => {
    answered.push(path)
    if (path === "/slow") {
      arrived.resolve()
      await go.promise
    }
    return { status: 200, headers: {}, body: valueBody({}) }
  }
  const authenticate = authenticator({
    tokens: new Map([
      ["user", user],
      ["admin", administrator],
    ]),
  })
  const edge = { host: "127.0.0.1", port: 0, certificates, clock: systemClock, random: systemRandom(), log: silentLog }
  const server = await serveHttps({
    ...edge,
    transportFor: authenticatedTransports(authenticate, () => transport),
    inFlight: { maxRequests: 0, maxMutatingRequests: 1 },
  })
  const client = { port: server.port, ca: certificates.ca.certificate }
  const post = (path: string, token: string) =>
    ask("HTTP/2", client, { method: "POST", path, headers: { authorization: `Bearer ${token}` }, body: "{}" })
  const slow = post("/slow", "user")
  await arrived.promise
  const refused = await post("/refused", "user")
  expect(refused.status).toBe(429)
  expect(refused.headers).toMatchObject({ "retry-after": "1", "content-type": "text/plain; charset=utf-8" })
  expect(await textOf(refused)).toBe("Too many requests, please try again later.\n")
  expect(await textOf(await post("/admin", "admin"))).toBe("{}")
  go.resolve()
  expect(await textOf(await slow)).toBe("{}")
  expect(await textOf(await post("/later", "user"))).toBe("{}")
  expect(answered).toEqual(["/slow", "/admin", "/later"])
  await server.close(0)
})

/** A server with room for one write, whose handler does what the path says. */
async function oneWriteAtATime(clock: Clock = systemClock) {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom() }
  const certificates = await ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
  const [arrived, go] = [Promise.withResolvers<AbortSignal>(), Promise.withResolvers<void>()]
  const transport: Transport = async ({ path, signal }) => {
    if (path === "/large") return { status: 200, headers: {}, body: valueBody("x".repeat(1_000_000)) }
    if (path === "/throw") throw new Error("expected in this test")
    if (path === "/slow") {
      arrived.resolve(signal!)
      await go.promise
    }
    return { status: 200, headers: {}, body: valueBody({}) }
  }
  const edge = { host: "127.0.0.1", port: 0, certificates, clock, random: systemRandom(), log: silentLog }
  const server = await serveHttps({ ...edge, transportFor: () => transport, inFlight: { maxRequests: 0, maxMutatingRequests: 1 } })
  const client = { port: server.port, ca: certificates.ca.certificate }
  const post = async (path: string) => {
    const answer = await ask("HTTP/2", client, { method: "POST", path, body: "{}" })
    await textOf(answer)
    return answer.status
  }
  return { server, client, arrived: arrived.promise, go: go.resolve, post }
}

test("a request too many is refused while its body is still to come", async () => {
  const { server, client, arrived, go, post } = await oneWriteAtATime()
  const slow = post("/slow")
  await arrived
  const session = connect(`https://127.0.0.1:${client.port}`, { ca: client.ca })
  const stream = session.request({ ":method": "POST", ":path": "/x" }, { endStream: false })
  const [headers] = await once(stream, "response")
  expect(headers[":status"]).toBe(429)
  session.destroy()
  go()
  expect(await slow).toBe(200)
  await server.close(0)
})

test("the room of a request whose client has gone is taken until its work has ended", async () => {
  const { server, client, arrived, go, post } = await oneWriteAtATime()
  const session = connect(`https://127.0.0.1:${client.port}`, { ca: client.ca })
  session
    .request({ ":method": "POST", ":path": "/slow" })
    .on("error", () => undefined)
    .end("{}")
  const signal = await arrived
  const left = once(signal, "abort")
  session.destroy()
  await left
  expect(await post("/x")).toBe(429)
  go()
  await new Promise((resolve) => setImmediate(resolve))
  expect(await post("/x")).toBe(200)
  await server.close(0)
})

test("the room of a request whose time is over is taken until its work has ended", async () => {
  const clock = new VirtualClock({ limit: "1h" })
  const { server, arrived, go, post } = await oneWriteAtATime(clock)
  const late = post("/slow")
  await arrived
  await clock.advance(34_000)
  expect(await late).toBe(504)
  expect(await post("/x")).toBe(429)
  go()
  await new Promise((resolve) => setImmediate(resolve))
  expect(await post("/x")).toBe(200)
  const closing = server.close(0)
  await clock.advance(1)
  await closing
})

test("a large answer that its client does not read takes room until it does", async () => {
  const { server, client, post } = await oneWriteAtATime()
  const large = await ask("HTTP/2", client, { method: "POST", path: "/large", body: "{}" })
  expect(await post("/x")).toBe(429)
  expect(await textOf(large)).toHaveLength(1_000_002)
  expect(await post("/x")).toBe(200)
  await server.close(0)
})

test("a handler that throws gives its room back", async () => {
  const { server, post } = await oneWriteAtATime()
  expect(await post("/throw")).toBe(500)
  expect(await post("/x")).toBe(200)
  await server.close(0)
})
