import { resourceNameOf } from "../schema/descriptor.ts"
import { quoted } from "../text/quoted.ts"
import { type Status, StatusError, type StatusReason } from "./status.ts"
import type { FailedResource } from "./status-failures.ts"

/** A response that is no Status. */
export interface UnexpectedResponse {
  readonly code: number
  /** "GET", "POST"… */
  readonly method: string
  readonly resource?: FailedResource
  readonly name?: string
  /** What stood in the body. */
  readonly body: string
  readonly retryAfterSeconds?: number
}

/** The failure a client makes of an answer that is no Status: from a proxy, a load balancer, a server that crashed. */
export function unexpectedResponse(response: UnexpectedResponse): StatusError {
  const { code, body, name = "", retryAfterSeconds = 0 } = response
  const { reason, message } = words(response)
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: message + about(response),
    reason,
    details: {
      ...(name === "" ? {} : { name }),
      ...(response.resource?.group ? { group: response.resource.group } : {}),
      ...(response.resource ? { kind: response.resource.plural } : {}),
      causes: [{ reason: "UnexpectedServerResponse", message: body }],
      ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
    },
    code,
  }
  return new StatusError(status)
}

function about({ method, resource, name = "" }: UnexpectedResponse): string {
  if (resource === undefined) return ""
  const parts = [method.toLowerCase(), resourceNameOf(resource), ...(name === "" ? [] : [name])]
  return ` (${parts.join(" ")})`
}

interface Words {
  readonly reason: StatusReason
  readonly message: string
}

function words({ code, method, body }: UnexpectedResponse): Words {
  const known = table[code]
  if (known !== undefined) return known
  if (code === 409) return { reason: method === "POST" ? "AlreadyExists" : "Conflict", message: "the server reported a conflict" }
  if (code === 403) return { reason: "Forbidden", message: body }
  if (code === 415) return { reason: "UnsupportedMediaType", message: body }
  if (code === 406) {
    const none = body === "" || body === "unknown"
    return {
      reason: "NotAcceptable",
      message: none ? "the server was unable to respond with a content type that the client supports" : body,
    }
  }
  if (code < 500) return { reason: "", message: `the server responded with the status code ${code} but did not return more information` }
  return { reason: "InternalError", message: `an error on the server (${quoted(body)}) has prevented the request from succeeding` }
}

const table: Readonly<Record<number, Words>> = {
  400: { reason: "BadRequest", message: "the server rejected our request for an unknown reason" },
  401: { reason: "Unauthorized", message: "the server has asked for the client to provide credentials" },
  404: { reason: "NotFound", message: "the server could not find the requested resource" },
  405: { reason: "MethodNotAllowed", message: "the server does not allow this method on the requested resource" },
  422: { reason: "Invalid", message: "the server rejected our request due to an error in our request" },
  429: { reason: "TooManyRequests", message: "the server has received too many requests and has asked us to try again later" },
  503: { reason: "ServiceUnavailable", message: "the server is currently unable to handle the request" },
  504: {
    reason: "Timeout",
    message: "the server was unable to return a response in the time allotted, but may still be processing the request",
  },
}
