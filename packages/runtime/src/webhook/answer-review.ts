import type { KubeObject } from "@pilothouse/api"
import { diffJsonPatch } from "@pilothouse/api/patch"
import {
  type Log,
  messageOf,
  parseJson,
  silentLog,
  stringifyJson,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "@pilothouse/seams"
import { type AdmissionRequest, type ConvertedObject, type Mutable, type Refusal, type Webhook, webhookPath } from "./webhook.ts"

interface Review {
  readonly apiVersion: string
  readonly request: Omit<AdmissionRequest, "object" | "oldObject" | "warn"> & {
    readonly object?: KubeObject | null
    readonly oldObject?: KubeObject | null
  }
}

/**
 * Returns what answers AdmissionReviews and ConversionReviews for webhooks, each at its path. A webhook of admission that throws answers with 500: the
 * failurePolicy decides then.
 */
export function webhookHandler(webhooks: readonly Webhook[], { log = silentLog }: { readonly log?: Log } = {}): Transport {
  const byPath = new Map(webhooks.map((webhook) => [webhookPath(webhook), webhook]))
  return async (request) => {
    const webhook = byPath.get(request.path)
    if (webhook === undefined || request.verb !== "POST") return text(404, "404 page not found")
    if (webhook.spec.convert !== undefined) return conversionAnswer(webhook, request, log)
    const review = reviewIn(request)
    if (review === undefined) return text(400, "expected an AdmissionReview with a request")
    try {
      return json({ apiVersion: review.apiVersion, kind: "AdmissionReview", response: await responseTo(webhook, review) })
    } catch (error) {
      log.error("a webhook failed", { webhook: webhook.name, error: messageOf(error) })
      return text(500, messageOf(error))
    }
  }
}

function reviewIn({ body }: TransportRequest): Review | undefined {
  const review = bodyValue(body) as Partial<Review> | null | undefined
  return typeof review?.request?.uid === "string" ? (review as Review) : undefined
}

function bodyValue(body: TransportRequest["body"]): unknown {
  try {
    return body?.type === "bytes" ? parseJson(new TextDecoder().decode(body.bytes)) : body?.value
  } catch {
    // The caller is answered with what was expected.
    return undefined
  }
}

async function conversionAnswer(webhook: Webhook, { body }: TransportRequest, log: Log): Promise<TransportResponse> {
  const review = bodyValue(body)
  if (!isConversionReview(review)) return text(400, "expected a ConversionReview with a request")
  const { apiVersion } = review
  try {
    return json({ apiVersion, kind: "ConversionReview", response: await convertReview(webhook, review) })
  } catch (error) {
    log.error("a conversion failed", { webhook: webhook.name, error: messageOf(error) })
    const result = { status: "Failure", message: messageOf(error) }
    return json({ apiVersion, kind: "ConversionReview", response: { uid: review.request.uid, convertedObjects: [], result } })
  }
}

async function responseTo({ spec }: Webhook, { request }: Review): Promise<object> {
  const warnings: string[] = []
  const asked: AdmissionRequest = {
    ...request,
    object: request.object ?? undefined,
    oldObject: request.oldObject ?? undefined,
    dryRun: request.dryRun ?? false,
    warn: (warning) => void warnings.push(warning),
  }
  const warned = () => (warnings.length === 0 ? {} : { warnings })
  const { uid } = request
  if (spec.validate !== undefined) {
    const refusal = await spec.validate(asked)
    return { uid, allowed: refusal === undefined, ...(refusal !== undefined && { status: statusOf(refusal) }), ...warned() }
  }
  const { object } = asked
  // A delete has nothing that could be changed.
  if (object === undefined) return { uid, allowed: true }
  const changed = await spec.mutate!(structuredClone(object) as Mutable<KubeObject>, asked)
  const operations = changed === undefined ? [] : diffJsonPatch(object, changed)
  return { uid, allowed: true, ...(operations.length > 0 && patchOf(operations)), ...warned() }
}

function patchOf(operations: readonly object[]): object {
  return { patchType: "JSONPatch", patch: Buffer.from(stringifyJson(operations)).toString("base64") }
}

function statusOf(refusal: Refusal): object {
  return typeof refusal === "string" ? { message: refusal, reason: "Forbidden", code: 403 } : { code: 403, ...refusal }
}

function json(value: unknown): TransportResponse {
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: { type: "bytes", bytes: new TextEncoder().encode(stringifyJson(value)), contentType: "application/json" },
  }
}

function text(status: number, message: string): TransportResponse {
  return {
    status,
    headers: { "content-type": "text/plain" },
    body: { type: "bytes", bytes: new TextEncoder().encode(message), contentType: "text/plain" },
  }
}

/** What an API server asks: some objects in another version. */
interface ConversionReview {
  readonly apiVersion: string
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly KubeObject[] }
}

/** What it is answered with, where all objects could be converted. */
interface ConversionResponse {
  readonly uid: string
  readonly convertedObjects: readonly KubeObject[]
  readonly result: { readonly status: "Success" }
}

/** Reports whether a body is a review with everything that a conversion needs. */
function isConversionReview(value: unknown): value is ConversionReview {
  const { request } = (value ?? {}) as { readonly request?: Partial<ConversionReview["request"]> | null }
  return typeof request?.uid === "string" && typeof request.desiredAPIVersion === "string" && Array.isArray(request.objects)
}

/** Converts the objects of a review, one after the other. An object that has the version is as it was. Throws what the function throws. */
async function convertReview({ spec }: Webhook, { request }: ConversionReview): Promise<ConversionResponse> {
  const { uid, desiredAPIVersion, objects } = request
  const to = versionOf(desiredAPIVersion)
  const convertedObjects: KubeObject[] = []
  for (const object of objects) {
    const from = versionOf(object.apiVersion ?? "")
    if (from === to) convertedObjects.push(object)
    else
      convertedObjects.push(
        inVersion(object, await spec.convert!(structuredClone(object) as ConvertedObject, { from, to }), desiredAPIVersion),
      )
  }
  return { uid, convertedObjects, result: { status: "Success" } }
}

/** The metadata is that of the original, but for labels and annotations: API servers refuse any other change. */
function inVersion({ kind, metadata }: KubeObject, converted: ConvertedObject, apiVersion: string): KubeObject {
  const { labels: _labels, annotations: _annotations, ...own } = metadata
  const { labels, annotations } = converted.metadata ?? {}
  return {
    ...converted,
    apiVersion,
    kind,
    metadata: { ...own, ...(labels && { labels }), ...(annotations && { annotations }) },
  } as KubeObject
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf("/") + 1)
}
