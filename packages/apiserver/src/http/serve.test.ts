import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { connect, constants } from "node:http2"
import { gunzipSync } from "node:zlib"
import { recordingLog, type Transport, type TransportRequest, VirtualClock, valueBody, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import type { Certificates } from "../certificates/certificates.ts"
import { ensureCertificates } from "../certificates/ensure-certificates.ts"
import type { Peer } from "./request/peer.ts"
import { type HttpsServer, serveHttps } from "./serve.ts"
import { type Asking, ask, type ClientOptions, type Protocol, textOf } from "./testing/client.ts"

let certificates: Certificates
const open: HttpsServer[] = []
const { log, lines } = recordingLog()

function makeCertificates(): Promise<Certificates> {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom() }
  return ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
}

beforeAll(async () => {
  certificates = await makeCertificates()
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)))
})
afterAll(() => expect(open).toEqual([]))

const settings = () => ({ host: "127.0.0.1", port: 0, certificates, clock: systemClock, random: systemRandom(), log })

async function serve(transport: Transport): Promise<ClientOptions & { readonly server: HttpsServer }> {
  const server = await serveHttps({ ...settings(), transportFor: () => transport })
  open.push(server)
  return { port: server.port, ca: certificates.ca.certificate, server }
}

const ok =
  (value: unknown): Transport =>
  async () => ({ status: 200, headers: {}, body: valueBody(value) })

describe.each<Protocol>(["HTTP/1.1", "HTTP/2"])("over %s", (protocol) => {
  const textFrom = async (client: ClientOptions, asking: Asking) => textOf(await ask(protocol, client, asking))

  test("a request that has lasted as long as its timeout gets an answer that says so, and is aborted", async () => {
    let seen: AbortSignal | undefined
    const client = await serve(({ signal }) => {
      seen = signal
      return new Promise(() => {})
    })
    const answer = await ask(protocol, client, { path: "/api/v1/pods?timeout=1ms" })
    expect(answer.status).toBe(504)
    expect(await textOf(answer)).toContain("request did not complete within requested timeout")
    expect(seen?.aborted).toBe(true)
  })

  test("a request arrives with path, query, headers and body", async () => {
    let seen: TransportRequest | undefined
    const client = await serve(async (request) => {
      seen = request
      return { status: 201, headers: { warning: '299 - "careful"' }, body: valueBody({ kind: "Pod" }) }
    })
    const headers = { "content-type": "application/json", "X-Other": "1" }
    const answer = await ask(protocol, client, { method: "POST", path: "/api/v1/a%2Fb?x=1&y=a%20b&x=2", headers, body: "{}" })
    expect(seen).toMatchObject({ verb: "POST", path: "/api/v1/a%2Fb", query: { x: ["1", "2"], y: "a b" }, headers: { "x-other": "1" } })
    expect(seen?.body).toMatchObject({ type: "bytes", contentType: "application/json" })
    expect(answer.status).toBe(201)
    expect(answer.headers).toMatchObject({
      warning: '299 - "careful"',
      "cache-control": "no-cache, private",
      "content-type": "application/json",
    })
    expect(answer.headers["audit-id"]).toMatch(/^[0-9a-f-]{36}$/)
    expect(await textOf(answer)).toBe('{"kind":"Pod"}')
  })

  test("a large answer is compressed for clients that accept it", async () => {
    const value = { kind: "ConfigMap", data: { a: "x".repeat(200_000) } }
    const client = await serve(ok(value))
    const small = await ask(protocol, client, { path: "/x", headers: { "accept-encoding": "br, gzip;q=0.5" } })
    expect(small.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding", "content-type": "application/json" })
    const chunks: Buffer[] = []
    for await (const chunk of small.body) chunks.push(Buffer.from(chunk))
    small.leave()
    expect(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString())).toEqual(value)
    const plain = await ask(protocol, client, { path: "/x" })
    expect(plain.headers["content-encoding"]).toBeUndefined()
    expect(JSON.parse(await textOf(plain))).toEqual(value)
  })

  test("what is small goes out as it is", async () => {
    const client = await serve(ok({ kind: "ConfigMap" }))
    const answer = await ask(protocol, client, { path: "/x", headers: { "accept-encoding": "gzip" } })
    expect(answer.headers["content-encoding"]).toBeUndefined()
    expect(await textOf(answer)).toBe('{"kind":"ConfigMap"}')
  })

  test("the items of a list leave their kind to it, in JSON, pretty and YAML", async () => {
    const item = { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } }
    const client = await serve(ok({ kind: "PodList", apiVersion: "v1", metadata: {}, items: [item] }))
    const lean = { kind: "PodList", apiVersion: "v1", metadata: {}, items: [{ metadata: { name: "a" } }] }
    expect(JSON.parse(await textFrom(client, { path: "/x" }))).toEqual(lean)
    expect(await textFrom(client, { path: "/x?pretty=true" })).toBe(JSON.stringify(lean, undefined, 2))
    const yaml = "kind: PodList\napiVersion: v1\nmetadata: {}\nitems:\n  - metadata:\n      name: a\n"
    expect(await textFrom(client, { path: "/x", headers: { accept: "application/yaml" } })).toBe(yaml)
  })

  test.each([
    ["an EndpointSlice", { kind: "EndpointSlice", apiVersion: "discovery.k8s.io/v1" }, { endpoints: [] }, { endpoints: null, ports: null }],
    ["a CSINode", { kind: "CSINode", apiVersion: "storage.k8s.io/v1" }, { spec: { drivers: [] } }, { spec: { drivers: null } }],
  ])("%s has the nulls of Go's JSON in every form, alone and in a list", async (_, kind, inside, outside) => {
    const metadata = { name: "a" }
    const list = { kind: `${kind.kind}List`, apiVersion: kind.apiVersion, metadata: {} }
    const forms = [
      [
        { ...kind, metadata, ...inside },
        { ...kind, metadata, ...outside },
      ],
      [
        { ...list, items: [{ ...kind, metadata, ...inside }] },
        { ...list, items: [{ metadata, ...outside }] },
      ],
    ]
    for (const [value, expected] of forms) {
      const client = await serve(ok(value))
      expect(JSON.parse(await textFrom(client, { path: "/x" }))).toEqual(expected)
      const pretty = JSON.stringify(expected, undefined, 2)
      expect(await textFrom(client, { path: "/x?pretty=true" })).toBe(pretty)
      expect(await textFrom(client, { path: "/x", headers: { "user-agent": "curl/8" } })).toBe(pretty)
      expect(parse(await textFrom(client, { path: "/x", headers: { accept: "application/yaml" } }))).toEqual(expected)
    }
  })

  test("a request without a body has none", async () => {
    let seen: TransportRequest | undefined
    const client = await serve(async (request) => {
      seen = request
      return { status: 200, headers: {}, body: valueBody({}) }
    })
    await textFrom(client, { path: "/version" })
    expect(seen?.body).toBeUndefined()
  })

  test("a warning may say anything", async () => {
    const client = await serve(async () => ({ status: 200, headers: { warning: '299 - "ü\n\u{1F6A2}"' }, body: valueBody({}) }))
    const answer = await ask(protocol, client, { path: "/x" })
    expect(Buffer.from(String(answer.headers.warning), "latin1").toString("utf8")).toBe('299 - "ü \u{1F6A2}"')
    await textOf(answer)
  })

  test("what cannot be encoded is refused", async () => {
    const self: Record<string, unknown> = {}
    self["self"] = self
    const client = await serve(ok(self))
    const answer = await ask(protocol, client, { path: "/x" })
    expect(answer.status).toBe(500)
    expect(await textOf(answer)).toContain("circular structure")
  })

  test("the client's audit id is kept", async () => {
    const client = await serve(ok({}))
    const answer = await ask(protocol, client, { path: "/version", headers: { "audit-id": "mine" } })
    expect(answer.headers["audit-id"]).toBe("mine")
    await textOf(answer)
  })

  test("HEAD of a large answer has its length and no body", async () => {
    const client = await serve(ok({ data: "x".repeat(200_000) }))
    const answer = await ask(protocol, client, { method: "HEAD", path: "/x" })
    expect(answer.headers["content-length"]).toBe("200011")
    expect(await textOf(answer)).toBe("")
  })

  test("no more than 64 characters of the client's audit id are sent back", async () => {
    const client = await serve(ok({}))
    const answer = await ask(protocol, client, { path: "/version", headers: { "audit-id": "m".repeat(10_000) } })
    expect(answer.headers["audit-id"]).toBe("m".repeat(64))
    await textOf(answer)
  })

  test("YAML for who accepts it, and people's JSON for curl", async () => {
    const client = await serve(ok({ kind: "Pod", metadata: { name: "on", creationTimestamp: "2026-01-05T09:00:00Z" } }))
    expect(await textFrom(client, { path: "/x", headers: { accept: "application/yaml" } })).toBe(
      'kind: Pod\nmetadata:\n  name: "on"\n  creationTimestamp: "2026-01-05T09:00:00Z"\n',
    )
    expect(await textFrom(client, { path: "/x", headers: { "user-agent": "curl/8" } })).toContain('{\n  "kind": "Pod"')
  })

  test("a body of more than 3 MiB is refused to who reads it", async () => {
    const client = await serve(async ({ body }) => {
      if (body?.type === "bytes") throw new Error(`expected no more than 3 MiB, found ${body.bytes.length}`)
      return { status: 200, headers: {}, body: valueBody({}) }
    })
    const answer = await ask(protocol, client, { method: "POST", path: "/x", body: new Uint8Array(3 * 1024 * 1024 + 1) })
    expect(answer.status).toBe(413)
    expect(JSON.parse(await textOf(answer))).toMatchObject({
      message: "Request entity too large: limit is 3145728",
      reason: "RequestEntityTooLarge",
      code: 413,
    })
  })

  test("a body of exactly 3 MiB is taken", async () => {
    let size = 0
    const client = await serve(async ({ body }) => {
      if (body?.type === "bytes") size = body.bytes.length
      return { status: 200, headers: {}, body: valueBody({}) }
    })
    await textFrom(client, { method: "POST", path: "/x", body: new Uint8Array(3 * 1024 * 1024) })
    expect(size).toBe(3 * 1024 * 1024)
  })

  test("an unknown method and a malformed path are refused with a Status", async () => {
    const client = await serve(ok({}))
    const method = await ask(protocol, client, { method: "OPTIONS", path: "/x" })
    expect(method.status).toBe(405)
    expect(await textOf(method)).toContain("MethodNotAllowed")
    const path = await ask(protocol, client, { path: "/%zz" })
    expect(path.status).toBe(400)
    await textOf(path)
  })

  test("what a transport throws is answered with 500 and logged", async () => {
    const client = await serve(async () => {
      throw new Error("broken part")
    })
    const answer = await ask(protocol, client, { path: "/x" })
    expect(answer.status).toBe(500)
    expect(await textOf(answer)).toContain("broken part")
    expect(lines.at(-1)?.fields).toMatchObject({ url: "/x", error: "broken part" })
  })

  test("headers of a watch come before its first event, and each event is one line", async () => {
    const first = Promise.withResolvers<void>()
    const client = await serve(async () => {
      async function* frames() {
        await first.promise
        yield valueBody({ type: "ADDED", object: Object.freeze({ kind: "Pod" }) })
        yield valueBody({ type: "DELETED", object: Object.freeze({ kind: "Pod" }) })
      }
      return { status: 200, headers: {}, body: { type: "stream", frames: frames() } }
    })
    const answer = await ask(protocol, client, { path: "/x?watch=1" })
    expect(answer.headers["content-type"]).toBe("application/json")
    first.resolve()
    expect(await textOf(answer)).toBe('{"type":"ADDED","object":{"kind":"Pod"}}\n{"type":"DELETED","object":{"kind":"Pod"}}\n')
  })

  test("a client that leaves a watch ends it", async () => {
    const ended = Promise.withResolvers<void>()
    const client = await serve(async ({ signal }) => {
      signal?.addEventListener("abort", () => ended.resolve())
      return { status: 200, headers: {}, body: { type: "stream", frames: silence } }
    })
    const answer = await ask(protocol, client, { path: "/x?watch=1" })
    answer.leave()
    await ended.promise
  })

  test("a stream whose headers cannot be written is left", async () => {
    const left = Promise.withResolvers<void>()
    const frames = {
      next: () => new Promise<never>(() => {}),
      return: async () => {
        left.resolve()
        return { done: true as const, value: undefined }
      },
    }
    const body = { type: "stream", frames: { [Symbol.asyncIterator]: () => frames } } as const
    const client = await serve(async () => ({ status: 200, headers: { "no header": "a" }, body }))
    const answer = await ask(protocol, client, { path: "/x" })
    await left.promise
    expect(answer.status).toBe(500)
    answer.leave()
  })

  test("a stream that breaks is not ended as if it were whole", async () => {
    const client = await serve(async () => {
      async function* frames() {
        yield valueBody({ type: "ADDED", object: {} })
        throw new Error("lost the log")
      }
      return { status: 200, headers: {}, body: { type: "stream", frames: frames() } }
    })
    const answer = await ask(protocol, client, { path: "/x?watch=1" })
    await expect(textOf(answer)).rejects.toThrow()
    answer.leave()
  })
})

describe("a client's certificate", () => {
  const whoAmI = async (protocol: Protocol, identity: { readonly cert?: string; readonly key?: string }) => {
    let seen: Peer["certificate"]
    const server = await serveHttps({
      ...settings(),
      transportFor: ({ certificate }) => {
        seen = certificate
        return ok({})
      },
    })
    open.push(server)
    await textOf(await ask(protocol, { port: server.port, ca: certificates.ca.certificate, ...identity }, { path: "/x" }))
    return seen
  }

  test.each<Protocol>(["HTTP/1.1", "HTTP/2"])("names who asks over %s", async (protocol) => {
    const { certificate: cert, key } = certificates.admin
    expect(await whoAmI(protocol, { cert, key })).toEqual({
      commonName: "kubernetes-admin",
      organizations: ["system:masters"],
      fingerprint: new X509Certificate(cert).fingerprint256.replaceAll(":", "").toLowerCase(),
    })
    expect(await whoAmI(protocol, {})).toBeUndefined()
  })

  test.each<Protocol>(["HTTP/1.1", "HTTP/2"])("of another authority is untrusted over %s", async (protocol) => {
    const { certificate: cert, key } = (await makeCertificates()).admin
    expect(await whoAmI(protocol, { cert, key })).toBe("untrusted")
  })
})

test("a taken port is named, with what to do", async () => {
  const { port } = await serve(ok({}))
  const again = serveHttps({ ...settings(), port, transportFor: () => ok({}) })
  await expect(again).rejects.toMatchObject({
    code: "PORT_TAKEN",
    message: expect.stringContaining(`expected port ${port} of 127.0.0.1 to be free`),
  })
})

test("many requests share one HTTP/2 connection", async () => {
  const { connect } = await import("node:http2")
  const client = await serve(async ({ path }) => ({ status: 200, headers: {}, body: valueBody({ path }) }))
  const session = connect(`https://127.0.0.1:${client.port}`, { ca: client.ca })
  const answers = Array.from({ length: 200 }, async (_, index) => {
    const stream = session.request({ ":path": `/${index}` })
    const chunks: string[] = []
    stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk))
    await once(stream, "end")
    return JSON.parse(chunks.join("")).path
  })
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 200 }, (_, index) => `/${index}`))
  session.destroy()
})

/** A stream that never says anything. */
const silence: AsyncIterable<never> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }

test("who sends its body drop by drop is cut off after a minute", async () => {
  const clock = new VirtualClock()
  const server = await serveHttps({ ...settings(), clock, transportFor: () => ok({}) })
  const session = connect(`https://127.0.0.1:${server.port}`, { ca: certificates.ca.certificate })
  const stream = session.request({ ":method": "POST", ":path": "/x" }, { endStream: false })
  stream.on("error", () => undefined)
  stream.write("{")
  const ended = new Promise((resolve) => stream.on("close", resolve))
  // The head has arrived once an answer to something asked for later has.
  const other = session.request({ ":path": "/y" })
  await once(other, "response")
  await clock.advance(60_000)
  await ended
  expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR)
  session.destroy()
  const closing = server.close(0)
  await clock.advance(1)
  await closing
})
