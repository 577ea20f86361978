import { connect } from "node:net"
import { join } from "node:path"
import type { TLSSocket } from "node:tls"
import { countFrames, flags, flood, frame, frameTypes, headerField, preface, requestHeaders } from "./http2-frames.ts"
import { peakGrowth, watchResident } from "./resident.ts"
import type { Attempt, Row } from "./row.ts"
import { isTrueWithin, pause, until } from "./waiting.ts"
import { administrator, statusesIn, Wire } from "./wire.ts"

async function openStreams(attempt: Attempt): Promise<void> {
  const stop = watchResident(attempt)
  const request = (stream: number) =>
    frame({ type: frameTypes.headers, flags: flags.endHeaders, stream, payload: requestHeaders("POST", "/api/v1/secrets") })
  for (let connection = 0; connection < 12; connection++) {
    const socket = await attempt.anonymous.tls("h2").catch(() => undefined)
    if (socket === undefined) continue
    socket.resume()
    let isOpen = await flood(socket, preface)
    for (let count = 0; count < 30_000 && isOpen; count += 100) {
      const streams = Array.from({ length: 100 }, (_, index) => request(1 + 2 * (count + index)))
      isOpen = await flood(socket, Buffer.concat(streams))
    }
  }
  await pause(1000)
  const grown = stop()
  attempt.expect(
    grown < peakGrowth,
    `the process to grow by less than ${peakGrowth} MB with 12 × 30,000 open streams`,
    `${grown.toFixed(0)} MB`,
  )
}

interface Flood {
  readonly name: string
  readonly first?: Buffer
  readonly bytes: (count: number) => Buffer
  readonly times: number
}

const floods: readonly Flood[] = [
  {
    name: "resets",
    times: 20_000,
    bytes: (count) => {
      const stream = 1 + 2 * count
      const both = flags.endHeaders | flags.endStream
      const open = frame({ type: frameTypes.headers, flags: both, stream, payload: requestHeaders("GET", "/healthz") })
      return Buffer.concat([open, frame({ type: frameTypes.reset, stream, payload: Buffer.from([0, 0, 0, 8]) })])
    },
  },
  {
    name: "continuations",
    first: frame({ type: frameTypes.headers, flags: flags.endStream, stream: 1, payload: requestHeaders("GET", "/healthz") }),
    times: 2000,
    bytes: (count) => frame({ type: frameTypes.continuation, stream: 1, payload: headerField(`x-${count}`, "y".repeat(16_000)) }),
  },
  { name: "pings", times: 200_000, bytes: () => frame({ type: frameTypes.ping, payload: Buffer.alloc(8) }) },
  { name: "settings", times: 50_000, bytes: () => frame({ type: frameTypes.settings, payload: Buffer.from([0, 1, 0, 0, 16, 0]) }) },
  {
    name: "empty data",
    first: frame({ type: frameTypes.headers, flags: flags.endHeaders, stream: 1, payload: requestHeaders("POST", "/api/v1/secrets") }),
    times: 100_000,
    bytes: () => frame({ type: frameTypes.data, stream: 1 }),
  },
]

async function frameFloods(attempt: Attempt): Promise<void> {
  const stop = watchResident(attempt)
  for (const { first, bytes, times } of floods) {
    const socket = await attempt.anonymous.tls("h2")
    countFrames(socket)
    let isOpen = await flood(socket, Buffer.concat(first === undefined ? [preface] : [preface, first]))
    for (let count = 0; count < times && isOpen; count += 50)
      isOpen = await flood(socket, Buffer.concat(Array.from({ length: 50 }, (_, index) => bytes(count + index))))
    socket.destroy()
  }
  // And pings whose answers are never read.
  const socket = await attempt.anonymous.tls("h2")
  socket.pause()
  let isOpen = await flood(socket, preface)
  const pings = Buffer.concat(Array.from({ length: 100 }, () => frame({ type: frameTypes.ping, payload: Buffer.alloc(8) })))
  for (let count = 0; count < 2000 && isOpen; count++) isOpen = await flood(socket, pings)
  const grown = stop()
  attempt.expect(grown < peakGrowth, `the process to grow by less than ${peakGrowth} MB`, `${grown.toFixed(0)} MB`)
}

/** Connections that are through their handshake and say nothing, and some that have begun a megabyte of headers. */
async function manyConnections(attempt: Attempt): Promise<void> {
  const stop = watchResident(attempt)
  for (let count = 0; count < 3000; count += 50)
    await Promise.all(Array.from({ length: 50 }, () => attempt.anonymous.tls("http/1.1").catch(() => undefined)))
  await pause(1000)
  const idle = stop()
  attempt.expect(
    idle < peakGrowth,
    `the process to grow by less than ${peakGrowth} MB with 3,000 idle connections`,
    `${idle.toFixed(0)} MB`,
  )
  attempt.anonymous.leave()
  await pause(1000)
}

/** Of 400, each with almost a megabyte of headers that it does not finish: others are cut off, as together they are 64 MB at most. */
const openWithHeaders = 100

async function unfinishedHeaders({ anonymous, expect }: Attempt): Promise<void> {
  const fields = Array.from({ length: 60 }, (_, index) => `X-${index}: ${"y".repeat(16_000)}\r\n`).join("")
  const sockets: TLSSocket[] = []
  for (let count = 0; count < 400; count++) {
    const socket = await anonymous.tls("http/1.1").catch(() => undefined)
    if (socket === undefined) continue
    sockets.push(socket.resume())
    await flood(socket, Buffer.from(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${fields}`))
  }
  const open = () => sockets.filter(({ closed }) => !closed).length
  const isBounded = await isTrueWithin(() => open() <= openWithHeaders, 10_000)
  expect(isBounded, `at most ${openWithHeaders} of 400 connections with 960 KB of unfinished headers each`, `${open()} that are open`)
}

/** Ten connections that send requests over HTTP/1.1 and wait for no answer. */
async function pipelinedRequests({ anonymous, expectTurns }: Attempt): Promise<void> {
  const requests = Buffer.from("GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(20_000))
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      const socket = await anonymous.tls("http/1.1")
      socket.on("error", () => undefined).resume()
      await flood(socket, requests)
    }),
  )
  await pause(3000)
  await expectTurns("200,000 requests on ten connections")
}

/** The same on the debug port, and writes on the API server: all of them are answered. */
async function pipelinedAnswers({ anonymous, up, expect, expectTurns }: Attempt): Promise<void> {
  const { hostname, port } = new URL(up.facts.discoveryDebug)
  const debug = connect(Number(port), hostname)
  const posts = await anonymous.tls("http/1.1")
  const attempts = [
    ["5,000 requests on the debug port", debug, "GET /debug/syncz HTTP/1.1\r\nHost: localhost\r\n\r\n", 5000, "200"],
    ["500 writes", posts, "POST /api/v1/pods HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 500, "403"],
  ] as const
  for (const [what, socket, request, count, status] of attempts) {
    let text = ""
    socket.on("error", () => undefined).on("data", (chunk: Buffer) => (text += chunk.toString("latin1")))
    socket.write(request.repeat(count))
    const answers = () => statusesIn(text).filter((found) => found === status).length
    expect(await isTrueWithin(() => answers() === count, 30_000), `${what} to be answered with ${status}`, `${answers()} that are`)
    await expectTurns(what)
    socket.destroy()
  }
}

/** More connections than the process may have descriptors: some stay free for clients that are known, and for files. */
async function moreThanDescriptors({ directory, startUp, wire, expect, expectStatus }: Attempt): Promise<void> {
  const limit = 300
  const wrapper = ["sh", "-c", `ulimit -n ${limit}; exec "$@"`, "sh"]
  const up = await startUp(join(directory, "data"), ["--ephemeral"], { wrapper })
  const admin = new Wire(up.port, administrator(up.facts.kubeconfig))
  expectStatus("a request before", await admin.send({ path: "/version" }), 200)
  const attacker = wire(up.port)
  for (let count = 0; count < 2 * limit; count += 50)
    await Promise.all(Array.from({ length: 50 }, () => attacker.tls("http/1.1").catch(() => undefined)))
  const used = up.program.descriptors
  expect(used < limit - 20, `some of ${limit} descriptors to be free`, `${used} in use`)
  const path = "/api/v1/namespaces/default/configmaps"
  expectStatus("a write meanwhile", await admin.create(path, { metadata: { name: "a" } }), 201)
  attacker.leave()
  const isBack = await isTrueWithin(async () => (await wire(up.port).send({ path: "/livez" })).status === 200, 10_000)
  expect(isBack, "new connections to be taken when the attacker has left", "none within 10 s")
  admin.leave()
}

/** A user that opens watches by the thousand, reads none of them, and goes away without a word: answers wait in the server then. */
async function unreadWatches({ admin, anonymous, expect }: Attempt): Promise<void> {
  const path = "/api/v1/namespaces/default/configmaps"
  const both = flags.endHeaders | flags.endStream
  for (let burst = 0; burst < 10; burst++) {
    const revision = JSON.parse((await admin.send({ path: `${path}?limit=1` })).text).metadata.resourceVersion
    const payload = requestHeaders("GET", `${path}?watch=1&resourceVersion=${revision}`)
    const watch = (index: number) => frame({ type: frameTypes.headers, flags: both, stream: 1 + 2 * index, payload })
    const watches = Array.from({ length: 100 }, (_, index) => watch(index))
    const sockets = await Promise.all(Array.from({ length: 8 }, () => admin.tls("h2")))
    for (const socket of sockets) {
      socket.pause()
      await flood(socket, Buffer.concat([preface, ...watches]))
    }
    for (let write = 0; write < 20; write++) await admin.create(path, { metadata: { generateName: "w-" }, data: { a: "x".repeat(5000) } })
    for (const socket of sockets) socket.destroy()
    await pause(300)
  }
  expect((await anonymous.send({ path: "/livez" })).status === 200, "that it serves", "that it does not")
}

/** A client that has sent nothing, or half of something: it must not be able to stay for ever. Milliseconds. */
const silentTime = 125_000

async function silentConnections({ anonymous, expect, target }: Attempt): Promise<void> {
  const start = target.descriptors
  const sockets = Array.from({ length: 20 }, () => anonymous.tcp())
  for (const socket of sockets) socket.resume()
  await until("20 connections to be taken", () => target.descriptors >= start + sockets.length, 10_000)
  const closed = await isTrueWithin(() => target.descriptors <= start, silentTime)
  expect(closed, `20 connections without a handshake to be closed within ${silentTime / 1000} s`, `${target.descriptors - start} left`)
}

const half = (type: number, bits: number, payload: Buffer) => Buffer.concat([preface, frame({ type, flags: bits, stream: 1, payload })])

/** What is sent at first, and what every five seconds after it. */
const dripping: readonly (readonly [name: string, protocol: "h2" | "http/1.1", first: string | Buffer, drip?: string | Buffer])[] = [
  ["nothing over HTTP/1.1", "http/1.1", ""],
  ["half of the headers", "http/1.1", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"],
  ["headers drop by drop", "http/1.1", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n", "X-a: b\r\n"],
  ["one request, and nothing more", "http/1.1", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["a body drop by drop", "http/1.1", "POST /api/v1/secrets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n", "a"],
  ["chunks drop by drop", "http/1.1", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"],
  ["no preface", "h2", ""],
  ["half of the preface", "h2", preface.subarray(0, 10)],
  ["the preface, and nothing more", "h2", preface],
  ["headers without an end over HTTP/2", "h2", half(frameTypes.headers, 0, Buffer.from([0x82]))],
  ["an unfinished body over HTTP/2", "h2", half(frameTypes.headers, flags.endHeaders, requestHeaders("POST", "/api/v1/secrets"))],
]

/** Milliseconds: the longest limit of ours is that of idle sessions. */
const idleTime = 240_000

async function slowLoris({ anonymous, expect }: Attempt): Promise<void> {
  const open = new Set<string>()
  const timers = await Promise.all(
    dripping.map(async ([name, protocol, first, drip]) => {
      const socket = await anonymous.tls(protocol)
      open.add(name)
      socket.resume()
      socket.once("close", () => open.delete(name))
      socket.write(first)
      return drip === undefined ? undefined : setInterval(() => socket.writable && socket.write(drip), 5000)
    }),
  )
  await isTrueWithin(() => open.size === 0, idleTime)
  for (const timer of timers) clearInterval(timer)
  expect(open.size === 0, `each of these connections to be closed within ${idleTime / 1000} s`, [...open])
}

/** What connections and streams can take without a credential. */
/** Requests whose headers are one byte each on the wire, because HPACK has them in its table; none of them is ended by the client. */
async function headersByReference(attempt: Attempt): Promise<void> {
  const { anonymous, expectTurns } = attempt
  const stop = watchResident(attempt)
  const inTable = Buffer.from([0x40, 1, 0x78, 1, 0x76])
  const reference = 0xbe
  for (const count of [1900, 28_000])
    for (let connection = 0; connection < 4; connection++) {
      const socket = await anonymous.tls("h2")
      socket.on("error", () => undefined)
      countFrames(socket)
      const first = {
        type: frameTypes.headers,
        flags: flags.endHeaders,
        stream: 1,
        payload: Buffer.concat([requestHeaders("POST", "/x"), inTable]),
      }
      const payload = Buffer.concat([requestHeaders("POST", "/api/v1/pods"), Buffer.alloc(count, reference)])
      const others = Array.from({ length: 200 }, (_, at) => frame({ ...first, stream: 3 + 2 * at, payload }))
      await flood(socket, Buffer.concat([preface, frame(first), ...others]))
      await pause(500)
      await expectTurns(`200 requests of ${count} headers`)
    }
  const grown = stop()
  // Garbage of headers that were refused; three connections took 5 GB, and kept it.
  attempt.expect(grown < 2 * peakGrowth, `the process to grow by less than ${2 * peakGrowth} MB`, `${grown.toFixed(0)} MB`)
}

export const connectionRows: readonly Row[] = [
  { number: 5, name: "connections that say nothing, anonymous", server: "up", isLong: true, attempt: silentConnections },
  { number: 5, name: "connections that say nothing, anonymous, on run", server: "run", isLong: true, attempt: silentConnections },
  { number: 5, name: "connections that say it slowly, anonymous", server: "up", isLong: true, attempt: slowLoris },
  { number: 5, name: "connections that say it slowly, anonymous, on run", server: "run", isLong: true, attempt: slowLoris },
  { number: 5, name: "3,000 idle connections, anonymous", server: "up", attempt: manyConnections },
  { number: 5, name: "3,000 idle connections, anonymous, on run", server: "run", attempt: manyConnections },
  { number: 5, name: "more connections than descriptors, anonymous", server: "none", attempt: moreThanDescriptors },
  { number: 5, name: "400 connections with unfinished headers, anonymous", server: "up", attempt: unfinishedHeaders },
  { number: 4, name: "HTTP/2 streams without end, anonymous", server: "up", attempt: openStreams },
  { number: 4, name: "HTTP/2 streams without end, anonymous, on run", server: "run", attempt: openStreams },
  { number: 24, name: "clients that go away with unread watches", server: "up", attempt: unreadWatches },
  { number: 34, name: "headers that HPACK writes as one byte, anonymous", server: "up", attempt: headersByReference },
  { number: 34, name: "headers that HPACK writes as one byte, anonymous, on run", server: "run", attempt: headersByReference },
  { number: 64, name: "requests over HTTP/1.1 that wait for no answer, anonymous", server: "up", attempt: pipelinedRequests },
  { number: 64, name: "answers to requests over HTTP/1.1 that wait for none", server: "up", attempt: pipelinedAnswers },
  { number: 103, name: "floods of HTTP/2 frames, anonymous", server: "up", isLong: true, release: 130, attempt: frameFloods },
  { number: 103, name: "floods of HTTP/2 frames, anonymous, on run", server: "run", isLong: true, release: 130, attempt: frameFloods },
]
