import { badRequest, isStatus, quoted, type Status, StatusError, timeout as timedOut, unexpectedResponse } from "@pilothouse/api"
import {
  abortable,
  type Body,
  messageOf,
  PilothouseError,
  parseJson,
  stringifyJson,
  type TransportResponse,
  withTimeout,
} from "@pilothouse/seams"
import { jsonSyntaxError } from "../../body/json-syntax.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import { admissionReview, type ReviewRequest, type ReviewResponse, reviewResponse, reviewVersion } from "./admission-review.ts"
import type { AdmissionType } from "./metrics.ts"
import { type WebhookAddress, webhookAddress } from "./webhook-address.ts"
import type { IndexedWebhook } from "./webhook-index.ts"

/** Bytes of an answer. An object has at most 1.5 MiB, and a patch of it comes in base64. */
const maxAnswerSize = 3 * 1024 * 1024
const defaultTimeout = 10

/** A webhook that could not be called, or whose answer is none. The failurePolicy decides what becomes of the request. */
export class CallFailure extends Error {
  override readonly name = "CallFailure"
  /** For metrics. */
  readonly code: number

  constructor(webhook: string, why: string, code: number) {
    super(`failed calling webhook ${quoted(webhook)}: ${why}`)
    this.code = code
  }
}

/** A webhook that refuses the request. */
export class Denial extends Error {
  override readonly name = "Denial"
  readonly status: Status

  constructor(webhook: string, result: Partial<Status> | undefined) {
    const status = denialStatus(webhook, result)
    super(status.message)
    this.status = status
  }
}

/** Calls a webhook and returns its answer. Throws a CallFailure, or a StatusError where it may not be called for a dry run. */
export async function callWebhook(
  { webhook }: Pick<IndexedWebhook, "webhook">,
  type: AdmissionType,
  review: ReviewRequest,
): Promise<ReviewResponse> {
  const { attributes } = review
  const { name, sideEffects, admissionReviewVersions } = webhook
  if (attributes.request.dryRun && sideEffects !== "None" && sideEffects !== "NoneOnDryRun") {
    throw badRequest(`admission webhook ${quoted(name)} does not support dry run`)
  }
  const version = reviewVersion(admissionReviewVersions ?? [])
  if (version === undefined) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)"
    throw new CallFailure(name, `could not create admission objects: ${why}`, 400)
  }
  const uid = attributes.server.random.uuid()
  const answer = await post(webhook, attributes, admissionReview(version, uid, review))
  const response = verified(name, () => reviewResponse(version, uid, type, answer))
  for (const warning of response.warnings) attributes.request.warnings.add(warning)
  if (!response.allowed) throw new Denial(name, response.result)
  return response
}

function verified(name: string, check: () => ReviewResponse): ReviewResponse {
  try {
    return check()
  } catch (error) {
    throw new CallFailure(name, `received invalid webhook response: ${messageOf(error)}`, 503)
  }
}

async function post(webhook: IndexedWebhook["webhook"], attributes: AdmissionAttributes, review: object): Promise<unknown> {
  const { name, clientConfig, timeoutSeconds = defaultTimeout } = webhook
  const { server, request } = attributes
  const failed = (why: string, code = 503) => new CallFailure(name, `failed to call webhook: ${why}`, code)
  let address: WebhookAddress | undefined
  const late = () => failed(`Post ${quoted(`${address?.url}?timeout=${timeoutSeconds}s`)}: context deadline exceeded`)
  const limit = { clock: server.clock, timeout: timeoutSeconds * 1000, name: `webhook ${name}`, signal: request.signal, error: late }
  try {
    address = webhookAddress(server, clientConfig)
    return answerIn(await withTimeout(limit, (signal) => abortable(send(attributes, address!, review, { timeoutSeconds, signal }), signal)))
  } catch (error) {
    if (request.signal?.aborted) throw timedOut("request did not complete within requested timeout")
    if (error instanceof CallFailure) throw error
    if (error instanceof StatusError) throw failed(error.message, error.status.code)
    throw failed(
      error instanceof UnreadableAnswer
        ? error.message
        : `Post ${quoted(`${address?.url}?timeout=${timeoutSeconds}s`)}: ${messageOf(error)}`,
    )
  }
}

interface SendOptions {
  readonly timeoutSeconds: number
  readonly signal: AbortSignal
}

async function send(
  { server }: AdmissionAttributes,
  { path, host, server: dialed }: WebhookAddress,
  review: object,
  { timeoutSeconds, signal }: SendOptions,
): Promise<TransportResponse> {
  if (server.dial === undefined) throw new PilothouseError("CONNECTION_LOST", "this server has no way to a network")
  const transport = server.dial({ ...dialed(), maxAnswerSize })
  const body = { type: "bytes", bytes: new TextEncoder().encode(stringifyJson(review)), contentType: "application/json" } as const
  const headers = { host, accept: "application/json, */*", "user-agent": "kube-apiserver-admission" }
  return transport({ verb: "POST", path, query: { timeout: `${timeoutSeconds}s` }, headers, body, signal })
}

/** An answer that says nothing that could be read: its words stand for themselves, without the address. */
class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer"
}

/** The value of an answer; throws the StatusError of a refusal. */
function answerIn({ status: code, body, headers }: TransportResponse): unknown {
  if (body.type === "stream") throw new UnreadableAnswer("expected a whole answer, found a stream")
  const type = headers["content-type"] ?? ""
  if (code < 200 || code > 206) throw refusalIn(code, body, type)
  if (body.type === "value" && body.value !== undefined) return body.value
  if (body.type === "bytes" && body.bytes.length > 0) return parsed(body.bytes)
  throw new UnreadableAnswer(`0-length response with status code: ${code} and content type: ${type === "" ? "application/json" : type}`)
}

function refusalIn(code: number, body: Body, type: string): StatusError {
  const value = body.type === "value" ? body.value : parsedOrNothing(body.bytes)
  if (isStatus(value) && value.status !== "Success") return new StatusError(value)
  const isText = type === "" || type.startsWith("text/")
  const text = body.type === "bytes" && isText ? new TextDecoder().decode(body.bytes).trim() : "unknown"
  return unexpectedResponse({ code, method: "POST", body: text })
}

function parsed(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes)
  const unread = (why: string) => new UnreadableAnswer(`couldn't get version/kind; json parse error: ${why}`)
  try {
    const value = parseJson(text) ?? {}
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
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

/** The refusal of a webhook as the client gets it: at least 400, and with the name of the webhook. */
function denialStatus(name: string, result: Partial<Status> = {}): Status {
  const denied = `admission webhook ${quoted(name)} denied the request`
  const { message = "", reason = "", code = 0 } = result
  const why = message === "" ? reason : message
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    ...result,
    status: result.status === undefined || result.status === "Success" ? "Failure" : result.status,
    message: why === "" ? `${denied} without explanation` : `${denied}: ${why}`,
    code: code < 400 ? 400 : code,
  } as Status
}
