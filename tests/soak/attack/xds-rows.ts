import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2"
import type { Attempt, Row } from "./row.ts"
import { isTrueWithin, pause } from "./waiting.ts"

const endpointType = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"
const sotw = { method: "StreamAggregatedResources", node: 2, names: 3, type: 4 } as const
const delta = { method: "DeltaAggregatedResources", node: 1, type: 2, names: 3, unsubscribed: 4 } as const

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  return Buffer.from([...bytes, rest])
}

function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes])
}

const list = (number: number, names: readonly string[]): readonly Buffer[] => names.map((name) => field(number, name))
const madeUp = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at.toString(36)}`)

/** One message of gRPC. */
function message(fields: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(fields)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

interface Call {
  readonly stream: ClientHttp2Stream
  /** Bytes of all responses. */
  received: number
  /** "8: expected at most …" */
  status: string | undefined
}

function open(session: ClientHttp2Session, { method }: { readonly method: string }): Call {
  const path = `/envoy.service.discovery.v3.AggregatedDiscoveryService/${method}`
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" })
  const call: Call = { stream, received: 0, status: undefined }
  const ended = (headers: Readonly<Record<string, unknown>>) => {
    if (headers["grpc-status"] !== undefined) call.status = `${headers["grpc-status"]}: ${headers["grpc-message"]}`
  }
  stream.on("error", () => {})
  stream.on("data", (bytes: Buffer) => {
    call.received += bytes.length
  })
  stream.once("response", ended)
  stream.once("trailers", ended)
  return call
}

/** Megabytes. By default Node's client stalls for ever where requests of more than 10 MB wait to be sent. */
const maxSessionMemory = 1_000

async function connected({ up }: Attempt, use: (session: ClientHttp2Session) => Promise<void>): Promise<void> {
  const session = connect(`http://${up.facts.discovery}`, { maxSessionMemory })
  session.on("error", () => {})
  try {
    await use(session)
  } finally {
    session.destroy()
  }
}

/** 45,000 names that do not exist are answered, in turns; 400,000 are refused. Nothing of either stays. */
async function madeUpNames(attempt: Attempt): Promise<void> {
  const { expect, expectTurns } = attempt
  await connected(attempt, async (session) => {
    const many = open(session, sotw)
    const names = madeUp("a", 45_000)
    many.stream.write(message([field(sotw.node, field(1, "n")), ...list(sotw.names, names), field(sotw.type, endpointType)]))
    expect(await isTrueWithin(() => many.received > 45_000 * 60, 60_000), "an assignment for each of 45,000 names", many)
    await expectTurns("45,000 names")
    const tooMany = open(session, sotw)
    tooMany.stream.write(
      message([field(sotw.node, field(1, "n")), ...list(sotw.names, madeUp("b", 400_000)), field(sotw.type, endpointType)]),
    )
    expect(await isTrueWithin(() => tooMany.status?.startsWith("8: ") === true, 20_000), "400,000 names to be refused", tooMany.status)
    await expectTurns("400,000 names")
  })
}

/** Each stream asks for as many as it may: together they may not. */
async function namesOfAllStreams(attempt: Attempt): Promise<void> {
  const { expect, expectTurns } = attempt
  await connected(attempt, async (session) => {
    const calls: Call[] = []
    for (let at = 0; at < 48; at++) {
      const call = open(session, sotw)
      calls.push(call)
      const names = list(sotw.names, madeUp(`${at}-`, 45_000))
      call.stream.write(message([field(sotw.node, field(1, `n${at}`)), ...names, field(sotw.type, endpointType)]))
    }
    // A connection of its own: on the same one its request would wait behind all others.
    await connected(attempt, async (other) => {
      const small = open(other, sotw)
      small.stream.write(
        message([field(sotw.node, field(1, "small")), field(sotw.names, "outbound|80||web"), field(sotw.type, endpointType)]),
      )
      expect(await isTrueWithin(() => small.received > 0, 30_000), "a client with one name to be served", small.status)
    })
    const refused = () => calls.some(({ status }) => status?.startsWith("8: ") === true)
    expect(
      await isTrueWithin(refused, 180_000),
      "one of 48 streams with 45,000 names each to be refused",
      `${calls.reduce((sum, { received }) => sum + received, 0)} bytes of responses`,
    )
    await expectTurns("48 streams with 45,000 names each")
  })
  // What they had is released in turns, and then free for others.
  await connected(attempt, async (session) => {
    let served: Call | undefined
    const isServed = await isTrueWithin(async () => {
      if (served === undefined || served.status !== undefined) {
        served = open(session, sotw)
        const names = list(sotw.names, madeUp("later-", 45_000))
        served.stream.write(message([field(sotw.node, field(1, "later")), ...names, field(sotw.type, endpointType)]))
        await pause(500)
      }
      return served.received > 0
    }, 30_000)
    expect(isServed, "a client with 45,000 names to be served when they have left", served?.status)
    await expectTurns("48 streams with 45,000 names each that end together")
  })
}

/** One request that unsubscribes all names and subscribes to as many others. */
async function swappedNames(attempt: Attempt): Promise<void> {
  const { expect, expectTurns } = attempt
  await connected(attempt, async (session) => {
    const call = open(session, delta)
    const [before, after] = [madeUp("a", 45_000), madeUp("b", 45_000)]
    const type = field(delta.type, endpointType)
    call.stream.write(message([field(delta.node, field(1, "n")), type, ...list(delta.names, before)]))
    expect(await isTrueWithin(() => call.received > 45_000 * 60, 60_000), "an assignment for each of 45,000 names", call)
    await expectTurns("45,000 names")
    call.stream.write(message([type, ...list(delta.unsubscribed, before), ...list(delta.names, after)]))
    expect(await isTrueWithin(() => call.received > 2 * 45_000 * 60, 60_000), "an assignment for each of 45,000 others", call)
    await expectTurns("45,000 names for as many others")
  })
}

/** Pages about a client that has as many names as it may. */
async function debugPages(attempt: Attempt): Promise<void> {
  const { up, expect, expectTurns } = attempt
  await connected(attempt, async (session) => {
    const call = open(session, sotw)
    const names = madeUp("outbound|80||h", 45_000)
    call.stream.write(message([field(sotw.node, field(1, "me")), ...list(sotw.names, names), field(sotw.type, endpointType)]))
    expect(await isTrueWithin(() => call.received > 45_000 * 60, 60_000), "an assignment for each of 45,000 names", call)
    await expectTurns("45,000 names")
    for (const page of ["edsz", "config_dump?proxyID=me", "syncz"]) {
      const { status } = await fetch(`${up.facts.discoveryDebug}/debug/${page}`).then(async (response) => {
        await response.arrayBuffer()
        return response
      })
      expect(status === 200, `/debug/${page} to be answered`, status)
      await expectTurns(`/debug/${page}`)
    }
  })
}

/** Headless Services that have the same pods: each address is a listener of all of them. */
async function headlessServices({ admin, expect, expectTurns, rebase }: Attempt): Promise<void> {
  const create = async (count: number, path: string, object: (at: number) => object) => {
    for (let from = 0; from < count; from += 25) {
      const answers = await Promise.all(
        Array.from({ length: Math.min(25, count - from) }, (_, at) =>
          admin.create(`/api/v1/namespaces/default/${path}`, object(from + at)),
        ),
      )
      for (const { status, text } of answers) expect(status === 201, `${path} to be created`, text.slice(0, 200))
    }
  }
  await create(200, "pods", (at) => ({
    metadata: { name: `p${at}`, labels: { app: "web" } },
    spec: { containers: [{ name: "c", image: "i" }] },
  }))
  await pause(5_000)
  await rebase()
  const spec = { clusterIP: "None", selector: { app: "web" }, ports: [{ port: 80 }] }
  await create(100, "services", (at) => ({ metadata: { name: `s${at}` }, spec }))
  await pause(5_000)
  await expectTurns("100 headless Services with the same 200 pods")
  await admin.send({ method: "DELETE", path: "/api/v1/namespaces/default/pods/p1?gracePeriodSeconds=0" })
  await pause(3_000)
  await expectTurns("one of their pods gone")
}

/** Subscriptions of xDS, which clients without credentials may have on the loopback. */
export const xdsRows: readonly Row[] = [
  { number: 60, name: "made-up names in one request of xDS", server: "up", attempt: madeUpNames },
  { number: 60, name: "made-up names in many streams of xDS", server: "up", attempt: namesOfAllStreams },
  { number: 61, name: "a request of xDS that swaps all names", server: "up", attempt: swappedNames },
  { number: 62, name: "debug pages of a client with many names", server: "up", attempt: debugPages },
  { number: 63, name: "headless Services with the same pods", server: "up", memory: 150, attempt: headlessServices },
]
