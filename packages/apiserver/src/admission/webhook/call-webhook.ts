import { badRequest, quoted, type Status, timeout as timedOut } from "@pilothouse/api"
import { messageOf, stringifyJson } from "@pilothouse/seams"
import { maxValues } from "../../body/body-limit.ts"
import { PostFailure, postToWebhook } from "../../webhook-client/post-webhook.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import { admissionReview, type ReviewRequest, type ReviewResponse, reviewResponse, reviewVersion } from "./admission-review.ts"
import type { AdmissionType } from "./metrics.ts"
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
  const bounds = { timeoutSeconds, maxAnswerSize, maxAnswerValues: maxValues }
  const about = { name, clientConfig, ...bounds, userAgent: "kube-apiserver-admission", signal: request.signal }
  try {
    return await postToWebhook(server, { ...about, review: stringifyJson(review) })
  } catch (error) {
    if (request.signal?.aborted) throw timedOut("request did not complete within requested timeout")
    throw new CallFailure(name, `failed to call webhook: ${messageOf(error)}`, error instanceof PostFailure ? error.code : 503)
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
