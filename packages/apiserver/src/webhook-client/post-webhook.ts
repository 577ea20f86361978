import { isStatus, quoted, StatusError, unexpectedResponse } from "@pilothouse/api"
import type { WebhookClientConfig } from "@pilothouse/api/admissionregistration/v1"
import {
  abortable,
  type Body,
  type Clock,
  type Dial,
  messageOf,
  PilothouseError,
  parseJson,
  type Random,
  type TransportResponse,
  withTimeout,
} from "@pilothouse/seams"
import { valuesExceed } from "../body/body-limit.ts"
import { tooDeep, workableDepth } from "../body/json-depth.ts"
import { jsonSyntaxError } from "../body/json-syntax.ts"
import type { Registry } from "../registry/registry.ts"
import type { Turns } from "../request/turns.ts"
import type { Storage } from "../storage/storage.ts"
import { type WebhookAddress, webhookAddress } from "./webhook-address.ts"

/** What of a server its webhooks are called with. */
export interface WebhookCaller {
  readonly storage: Storage
  readonly registry: Registry
  readonly clock: Clock
  readonly random: Random
  readonly turns: Turns
  /** Undefined where the server was given no network. */
  readonly dial: Dial | undefined
}

/** One call of a webhook. */
export interface WebhookCall {
  /** For the names of timers. */
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly userAgent: string
  readonly timeoutSeconds: number
  /** The review as JSON. */
  readonly review: string
  /** Bytes of the answer. */
  readonly maxAnswerSize: number
  /** Fields and list items of it. */
  readonly maxAnswerValues: number
  readonly signal?: AbortSignal | undefined
}

/** Bytes of an answer that is read in a turn of its own: those of several webhooks may come in one. */
const largeAnswer = 64 * 1024

/** A webhook that could not be called, in the words of Go's HTTP client. */
export class PostFailure extends Error {
  override readonly name = "PostFailure"
  /** Of the refusal that it answered with; 503 where it did not answer. */
  readonly code: number

  constructor(why: string, code = 503) {
    super(why)
    this.code = code
  }
}

/** Sends a review to a webhook and returns its answer, which is an object. Throws a PostFailure. */
export async function postToWebhook(caller: WebhookCaller, call: WebhookCall): Promise<object> {
  const { name, timeoutSeconds, signal } = call
  let address: WebhookAddress | undefined
  const posted = (why: string) => new PostFailure(`Post ${quoted(`${address?.url}?timeout=${timeoutSeconds}s`)}: ${why}`)
  const error = () => posted("context deadline exceeded")
  const limit = { clock: caller.clock, timeout: timeoutSeconds * 1000, name: `webhook ${name}`, signal, error }
  try {
    address = webhookAddress(caller, call.clientConfig)
    const answer = await withTimeout(limit, (ending) => abortable(send(caller, address!, call, ending), ending))
    if (answer.body.type === "bytes" && answer.body.bytes.length > largeAnswer) await caller.turns.next(signal)
    return answerIn(answer, call.maxAnswerValues)
  } catch (error) {
    if (error instanceof PostFailure) throw error
    if (error instanceof StatusError) throw new PostFailure(error.message, error.status.code)
    throw posted(messageOf(error))
  }
}

async function send(caller: WebhookCaller, address: WebhookAddress, call: WebhookCall, signal: AbortSignal): Promise<TransportResponse> {
  if (caller.dial === undefined) throw new PilothouseError("CONNECTION_LOST", "this server has no way to a network")
  const { review, userAgent, timeoutSeconds, maxAnswerSize } = call
  const transport = caller.dial({ ...address.server(), maxAnswerSize })
  const body = { type: "bytes", bytes: new TextEncoder().encode(review), contentType: "application/json" } as const
  const headers = { host: address.host, accept: "application/json, */*", "user-agent": userAgent }
  return transport({ verb: "POST", path: address.path, query: { timeout: `${timeoutSeconds}s` }, headers, body, signal })
}

/** The value of an answer; throws the StatusError of a refusal, and where nothing can be read words that stand without the address. */
function answerIn({ status: code, body, headers }: TransportResponse, maxValues: number): object {
  if (body.type === "stream") throw new PostFailure("expected a whole answer, found a stream")
  const type = headers["content-type"] ?? ""
  if (code < 200 || code > 206) throw refusalIn(code, body, type)
  if (body.type === "value" && body.value !== undefined) return body.value as object
  if (body.type === "bytes" && body.bytes.length > 0) return parsed(body.bytes, maxValues)
  throw new PostFailure(`0-length response with status code: ${code} and content type: ${type === "" ? "application/json" : type}`)
}

function refusalIn(code: number, body: Body, type: string): StatusError {
  const value = body.type === "value" ? body.value : parsedOrNothing(body.bytes)
  if (isStatus(value) && value.status !== "Success") return new StatusError(value)
  const isText = type === "" || type.startsWith("text/")
  const text = body.type === "bytes" && isText ? new TextDecoder().decode(body.bytes).trim() : "unknown"
  return unexpectedResponse({ code, method: "POST", body: text })
}

function parsed(bytes: Uint8Array, maxValues: number): object {
  if (valuesExceed(bytes, maxValues)) throw new PostFailure(`limit of fields and list items is ${maxValues}`)
  const text = new TextDecoder().decode(bytes)
  const unread = (why: string) => new PostFailure(`couldn't get version/kind; json parse error: ${why}`)
  const bracket = tooDeep(bytes, workableDepth)
  if (bracket !== undefined) throw unread(`invalid character '${bracket}' exceeded max depth`)
  try {
    const value = parseJson(text) ?? {}
    if (typeof value === "object" && !Array.isArray(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // What is no JSON is read as YAML, where a text is a value.
    if (text.trimStart().startsWith("{")) throw unread(jsonSyntaxError(text))
  }
  const into = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`
  throw unread(`json: cannot unmarshal ${text.trimStart().startsWith("[") ? "array" : "string"} into Go value of type ${into}`)
}

function parsedOrNothing(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder().decode(bytes))
  } catch {
    // A page of a proxy is as good an answer as any: its code says enough.
    return undefined
  }
}
