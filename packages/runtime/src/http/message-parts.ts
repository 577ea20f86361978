import { escapedAsGo } from "@pilothouse/api"
import {
  type Frame,
  type HeaderMap,
  PilothouseError,
  type Query,
  type Stream,
  stringifyJson,
  type TransportRequest,
} from "@pilothouse/seams"
import type { Received } from "./requester.ts"

/** Names come in lower case already; a name that comes several times is one line, as HTTP allows, but for cookies, which have commas of their own. */
export function headersOf({ headers }: Pick<Received, "headers">): HeaderMap {
  const entries = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || name.startsWith(":")) return []
    return [[name, typeof value === "string" ? value : value.join(name === "set-cookie" ? "\n" : ", ")] as const]
  })
  return Object.fromEntries(entries)
}

/** The content type of protobuf watches says so; for the others only the request can tell. */
export function isStream(asked: boolean, { statusCode, headers }: Pick<Received, "statusCode" | "headers">): boolean {
  return statusCode === 200 && (asked || String(headers["content-type"] ?? "").includes("stream=watch"))
}

export interface StreamOptions {
  readonly signal?: AbortSignal
  /** Makes the error of a stream that broke. */
  lost(cause: unknown): Error
  /** Called once, however it ended. */
  ended(): void
}

/**
 * Chunks as they come; no chunk is read before the one before it was taken, so a slow reader slows the server.
 * An iterator by hand and not a generator: leaving a generator that was never begun would run none of its code, and the request would stay open.
 */
export function streamBody({ body, isComplete }: Received, { signal, lost, ended }: StreamOptions): Stream {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
  // Aborting a stream that is not read yet is no reason to end the process.
  body.on("error", () => {})
  body.once("close", ended)
  const next = async (): Promise<IteratorResult<Frame>> => {
    try {
      const { done, value } = await chunks.next()
      if (done && isComplete?.() === false) throw new Error("the connection was closed before the end of the stream")
      return done ? { done, value: undefined } : { done: false, value: { type: "bytes", bytes: value } }
    } catch (cause) {
      if (signal?.aborted) return { done: true, value: undefined }
      throw lost(cause)
    }
  }
  const end = async (): Promise<IteratorResult<Frame>> => {
    body.destroy()
    return { done: true, value: undefined }
  }
  return { type: "stream", frames: { [Symbol.asyncIterator]: () => ({ next, return: end }) } }
}

/** "/base/api/v1/pods?limit=500&watch=true": the base is the path of the server's address. */
export function pathWithQuery(base: string, { path, query }: Pick<TransportRequest, "path" | "query">): string {
  const text = queryText(query)
  return `${base}${path}${text === "" ? "" : `?${text}`}`
}

function queryText(query: Query): string {
  const parts = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of typeof value === "string" ? [value] : value) parts.append(name, one)
  }
  return parts.toString()
}

interface EncodedBody {
  readonly bytes: Uint8Array
  readonly headers: HeaderMap
}

/** A value becomes JSON here, once; a patch has said what kind of JSON it is. */
export function encodedBody({ body, headers }: TransportRequest): EncodedBody | undefined {
  if (body === undefined) return undefined
  if (body.type === "bytes") return { bytes: body.bytes, headers: { "content-type": headers["content-type"] ?? body.contentType } }
  if (body.value === undefined) return undefined
  const text = stringifyJson(body.value)
  if (text === undefined) throw new PilothouseError("INVALID", `expected a body that can be written as JSON, found a ${typeof body.value}`)
  return { bytes: Buffer.from(escapedAsGo(text)), headers: { "content-type": headers["content-type"] ?? "application/json" } }
}

/** A watch or a followed log goes on until it is closed; everything else is whole. */
export function asksForStream({ verb, query }: TransportRequest): boolean {
  return verb === "GET" && (isTrue(query.watch) || isTrue(query.follow))
}

function isTrue(value: string | readonly string[] | undefined): boolean {
  const text = typeof value === "object" ? value[0] : value
  return text === "true" || text === "1"
}
