import { StatusError, type StatusReason } from "./status.ts"

/** The Status failure inside anything that was thrown: itself, or one that caused it. */
export function statusErrorIn(thrown: unknown): StatusError | undefined {
  let error = thrown
  // An error that is its own cause would turn here for ever.
  for (let depth = 0; error instanceof Error && depth < 100; depth++) {
    if (error instanceof StatusError) return error
    error = error.cause
  }
  return undefined
}

/** "" when it is no Status failure, or one without a reason. */
export function reasonOf(thrown: unknown): StatusReason | (string & {}) {
  return statusErrorIn(thrown)?.reason ?? ""
}

const knownReasons: ReadonlySet<string> = new Set<StatusReason>([
  "AlreadyExists",
  "BadRequest",
  "Conflict",
  "Expired",
  "Forbidden",
  "Gone",
  "InternalError",
  "Invalid",
  "MethodNotAllowed",
  "NotAcceptable",
  "NotFound",
  "RequestEntityTooLarge",
  "ServerTimeout",
  "ServiceUnavailable",
  "StorageReadError",
  "Timeout",
  "TooManyRequests",
  "Unauthorized",
  "UnsupportedMediaType",
])

/** The reason decides; the HTTP code only where the reason is unknown (proxies, extension servers). */
function is(thrown: unknown, reason: StatusReason, code: number): boolean {
  const error = statusErrorIn(thrown)
  if (error === undefined) return false
  return error.reason === reason || (error.statusCode === code && !knownReasons.has(error.reason))
}

/** Reports whether the object or the resource does not exist: apimachinery's IsNotFound. */
export function isNotFound(thrown: unknown): boolean {
  return is(thrown, "NotFound", 404)
}

/** True where no API server answered for the resource at all: the object itself may or may not exist. */
export function isUnknownResource(thrown: unknown): boolean {
  return isNotFound(thrown) && hasCause(thrown, "UnexpectedServerResponse")
}

/** Reports whether the name of a create was taken: apimachinery's IsAlreadyExists. */
export function isAlreadyExists(thrown: unknown): boolean {
  return reasonOf(thrown) === "AlreadyExists"
}

/** Only of an update; AlreadyExists has the same HTTP code. */
export function isConflict(thrown: unknown): boolean {
  return is(thrown, "Conflict", 409)
}

/** Reports whether validation refused the object. */
export function isInvalid(thrown: unknown): boolean {
  return is(thrown, "Invalid", 422)
}

/** The history does not reach back that far: list again. Servers say "Expired", older ones "Gone". */
export function isGone(thrown: unknown): boolean {
  return is(thrown, "Gone", 410) || reasonOf(thrown) === "Expired"
}

/** Reports whether the server refused a malformed request. */
export function isBadRequest(thrown: unknown): boolean {
  return is(thrown, "BadRequest", 400)
}

/** Reports whether the credentials were refused or missing. */
export function isUnauthorized(thrown: unknown): boolean {
  return is(thrown, "Unauthorized", 401)
}

/** Reports whether the user lacks the right. */
export function isForbidden(thrown: unknown): boolean {
  return is(thrown, "Forbidden", 403)
}

/** Reports whether the resource does not have the verb. */
export function isMethodNotAllowed(thrown: unknown): boolean {
  return is(thrown, "MethodNotAllowed", 405)
}

/** Reports whether the server has no form of the answer that the client accepts. */
export function isNotAcceptable(thrown: unknown): boolean {
  return is(thrown, "NotAcceptable", 406)
}

/** Reports whether the server does not read the content type of the body. */
export function isUnsupportedMediaType(thrown: unknown): boolean {
  return is(thrown, "UnsupportedMediaType", 415)
}

/** Reports whether the request reached its time limit; a write may have happened. */
export function isTimeout(thrown: unknown): boolean {
  return is(thrown, "Timeout", 504)
}

/** Reports whether the server asks for a retry because it could not finish in time. */
export function isServerTimeout(thrown: unknown): boolean {
  return reasonOf(thrown) === "ServerTimeout"
}

/** Reports whether the server has too many requests, or a disruption budget forbids an eviction. */
export function isTooManyRequests(thrown: unknown): boolean {
  return is(thrown, "TooManyRequests", 429) || statusErrorIn(thrown)?.statusCode === 429
}

/** Reports whether the server failed. */
export function isInternalError(thrown: unknown): boolean {
  return is(thrown, "InternalError", 500)
}

/** Reports whether the server, or what it depends on, is not available. */
export function isServiceUnavailable(thrown: unknown): boolean {
  return is(thrown, "ServiceUnavailable", 503)
}

/** Reports whether the body was too large. */
export function isRequestEntityTooLarge(thrown: unknown): boolean {
  return is(thrown, "RequestEntityTooLarge", 413) || statusErrorIn(thrown)?.statusCode === 413
}

/** A cause such as "NamespaceTerminating", "ResourceVersionTooLarge" or "DisruptionBudget". */
export function hasCause(thrown: unknown, reason: string): boolean {
  return statusErrorIn(thrown)?.causes.some((cause) => cause.reason === reason) ?? false
}

/** The seconds the server asks to wait before the next try; undefined when it does not ask. */
export function suggestedDelaySeconds(thrown: unknown): number | undefined {
  const error = statusErrorIn(thrown)
  if (error === undefined) return undefined
  return error.retryAfterSeconds > 0 || error.reason === "ServerTimeout" ? error.retryAfterSeconds : undefined
}
