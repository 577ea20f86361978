import { StatusError, statusOf } from "@pilothouse/api"
import { type HeaderMap, type TransportResponse, valueBody } from "@pilothouse/seams"

/** The answer for anything that was thrown before or instead of an answer of the handler. */
export function failureResponse(thrown: unknown, headers: HeaderMap = {}): TransportResponse {
  const status = statusOf(thrown)
  return { status: status.code ?? 500, headers, body: valueBody(status) }
}

/** A method that no resource knows, such as OPTIONS: there is no resource to speak of yet. */
export function unknownMethod(): StatusError {
  const message = "the server does not allow this method on the requested resource"
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "MethodNotAllowed",
    code: 405,
  })
}
