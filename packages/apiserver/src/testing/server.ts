import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { KubeObject, Status } from "@pilothouse/api"
import {
  type Frame,
  type HeaderMap,
  jsonRoundTrip,
  memoryMetrics,
  parseJson,
  type Query,
  recordingLog,
  seededRandom,
  silentLog,
  stringifyJson,
  type Transport,
  type TransportResponse,
  type Verb,
  VirtualClock,
  valueBody,
} from "@pilothouse/seams"
import { describe, onTestFinished } from "vitest"
import { type ApiServer, type ApiServerOptions, createApiServer } from "../api-server.ts"
import type { Identity } from "../authentication/identity.ts"
import { overTls } from "../http/testing/transport.ts"
import { showManagedFields } from "../managedfields/show-managed-fields.ts"
import { diskStorage } from "../storage/disk/open.ts"

/** Those for tests that look inside of the server, or let its time go on while a request is under way. */
export const handlerWays = ["in process", "through JSON", "on disk"] as const

/** In memory and on disk, with and without sockets. */
export const allWays = [...handlerWays, "over TLS", "over TLS, on disk"] as const

export type Way = (typeof allWays)[number]

export type Options = Partial<ApiServerOptions>

/** A suite of what a server answers: the answers are the same whichever way they are asked for, and wherever the objects are kept. */
export function everyWay(subject: string, suite: (testServer: (options?: Options) => TestServer, way: Way) => void): void {
  describe.each(allWays)(`${subject}, %s`, (way) => {
    suite((options) => testServer(way, options), way)
  })
}

interface Request {
  readonly query?: Query
  readonly body?: unknown
  readonly headers?: HeaderMap
  readonly signal?: AbortSignal
}

/** An API server in virtual time, and short words to talk to it with. */
export function testServer(way: Way = "in process", options: Options = {}) {
  const clock = new VirtualClock()
  const { log, lines } = recordingLog()
  const metrics = memoryMetrics()
  const made = { clock, random: seededRandom(1), log, metrics, ...options }
  const server = way.endsWith("on disk") && options.storage === undefined ? onDisk(made) : createApiServer(made)
  const transport = hideManagedFields(transportOver(way, server))
  const ask = asking(transport)
  /** What was asked for or written to a stream before is on the other side of the socket once an answer that was asked for later is here. */
  const arrived = async () => {
    for (let turn = 0; way.startsWith("over TLS") && turn < 2; turn++) await ask("GET", "/version")
  }

  return {
    server,
    transport,
    /** The same requests as another user. */
    as: (identity: Identity) => asking(hideManagedFields(transportOver(way, server, identity))),
    clock,
    lines,
    metrics,
    ask,
    get: (path: string, query?: Query) => ask("GET", path, { query }),
    post: (path: string, body: unknown, query?: Query) => ask("POST", path, { body, query }),
    put: (path: string, body: unknown, query?: Query) => ask("PUT", path, { body, query }),
    patch: (path: string, kind: "json" | "merge" | "strategic", body: unknown, query?: Query) =>
      ask("PATCH", path, { body, query, headers: { "content-type": patchType(kind) } }),
    apply: (path: string, config: unknown, query: Query = { fieldManager: "tester" }) =>
      ask("PATCH", path, { body: config, query, headers: { "content-type": "application/apply-patch+yaml" } }),
    /** As `ask`, with managedFields in the answers, whichever way. */
    askShown: asking(transportOver(way, { ...server, transport: (identity) => showManagedFields(server.transport(identity)) })),
    delete: (path: string, body?: unknown, query?: Query) => ask("DELETE", path, { body, query }),
    arrived,
    /** Reads what a watch has to say at this instant; then more with `read`. */
    async watch(path: string, query: Query = {}) {
      return watching(await ask("GET", path, { query: { watch: "true", ...query } }), async () => {
        await clock.settle()
        await arrived()
      })
    },
  }
}

function asking(transport: Transport) {
  return (verb: Verb, path: string, { query = {}, body, headers = {}, signal }: Request = {}): Promise<TransportResponse> =>
    transport({ verb, path, query, headers, signal, ...(body !== undefined && { body: valueBody(body) }) })
}

/** A server whose storage is still being opened when it is handed out. */
function onDisk(options: ApiServerOptions): ApiServer {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-test-"))
  let opened: ApiServer | undefined
  const started = diskStorage({ directory: join(directory, "storage"), clock: options.clock, log: options.log ?? silentLog }).then(
    (storage) => (opened = createApiServer({ ...options, storage })),
  )
  const close = async () => (await started).close()
  onTestFinished(async () => {
    await close()
    rmSync(directory, { recursive: true, force: true })
  })
  return {
    transport: (identity) => async (request) => (await started).transport(identity)(request),
    tokenReview: (token) => opened?.tokenReview(token),
    replaceAuthorizers: (modes) => opened?.replaceAuthorizers(modes),
    close,
  }
}

function transportOver(way: Way, server: ApiServer, identity?: Identity): Transport {
  const inner = server.transport(identity)
  if (way === "in process" || way === "on disk") return inner
  if (way === "through JSON") return jsonRoundTrip(inner)
  const opened = overTls(inner)
  onTestFinished(async () => (await opened).close())
  return async (request) => (await opened).transport(request)
}

/** Tests compare whole objects; ownership has tests of its own. */
function hideManagedFields(transport: Transport): Transport {
  return async (request) => {
    const response = await transport(request)
    const { body } = response
    if (body.type === "value") return { ...response, body: valueBody(withoutManagedFields(body.value)) }
    return body.type === "stream" ? { ...response, body: { type: "stream", frames: hiddenFrames(body.frames) } } : response
  }
}

async function* hiddenFrames(frames: AsyncIterable<Frame>): AsyncGenerator<Frame> {
  for await (const frame of frames) yield frame.type === "value" ? valueBody(withoutManagedFields(frame.value)) : frame
}

function withoutManagedFields(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  const { metadata, items, object, rows } = value as Readonly<Record<string, unknown>>
  if (Array.isArray(items)) return items.some(isTracked) ? { ...value, items: items.map(withoutManagedFields) } : value
  if (Array.isArray(rows))
    return rows.some(({ object: row }) => isTracked(row)) ? { ...value, rows: rows.map(withoutManagedFields) } : value
  if (isTracked(object)) return { ...value, object: withoutManagedFields(object) }
  if (!isTracked(value)) return value
  const { managedFields: _hidden, ...shown } = metadata as Readonly<Record<string, unknown>>
  return { ...value, metadata: shown }
}

function isTracked(value: unknown): boolean {
  return (value as Partial<KubeObject> | undefined)?.metadata?.managedFields !== undefined
}

export type TestServer = ReturnType<typeof testServer>

function patchType(kind: "json" | "merge" | "strategic"): string {
  return kind === "strategic" ? "application/strategic-merge-patch+json" : `application/${kind}-patch+json`
}

/** The object of an answer, whatever its kind. */
export interface Answered extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
  readonly items?: readonly Answered[]
  readonly data?: Readonly<Record<string, string>>
}

export function objectIn(response: TransportResponse, status = 200): Answered {
  const value = response.body.type === "bytes" ? parseJson(new TextDecoder().decode(response.body.bytes)) : valueIn(response)
  if (response.status !== status) throw new Error(`expected status ${status}, found ${response.status}: ${stringifyJson(value)}`)
  return value as Answered
}

function valueIn({ body }: TransportResponse): unknown {
  return body.type === "value" ? body.value : undefined
}

export function statusIn(response: TransportResponse): Status {
  if (response.body.type !== "value") throw new Error("expected a Status")
  return response.body.value as Status
}

export interface WatchEvent {
  readonly type: string
  readonly object: Answered
}

function watching(response: TransportResponse, settled: () => Promise<void>) {
  if (response.body.type !== "stream") throw new Error(`expected a stream, found ${JSON.stringify(response.body)}`)
  const seen: WatchEvent[] = []
  const state = { ended: false }
  const iterator = response.body.frames[Symbol.asyncIterator]()
  const pump = async (): Promise<void> => {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) seen.push(eventIn(next.value))
    state.ended = true
  }
  const pumping = pump()
  return {
    /** What came since the last call. */
    async read(): Promise<readonly WatchEvent[]> {
      await settled()
      return seen.splice(0)
    },
    get ended() {
      return state.ended
    },
    async stop() {
      await iterator.return?.()
      await pumping
    },
  }
}

function eventIn(frame: Frame): WatchEvent {
  if (frame.type !== "value") throw new Error("expected a value")
  return frame.value as WatchEvent
}

/** "ADDED a", "DELETED b": what a test says of events. */
export function said(events: readonly WatchEvent[]): readonly string[] {
  return events.map(({ type, object }) => (type === "BOOKMARK" ? type : `${type} ${object.metadata.name}`))
}
