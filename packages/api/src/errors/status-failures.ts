import type { Descriptor } from "../schema/descriptor.ts"
import { resourceNameOf } from "../schema/descriptor.ts"
import { quoted } from "../text/quoted.ts"
import { formatFieldErrors } from "./field-error.ts"
import { type StatusCause, type StatusDetails, StatusError, type StatusReason } from "./status.ts"

/** The resource a failure speaks of; any descriptor is one. */
export type FailedResource = Pick<Descriptor, "group" | "plural">
/** The kind that an error names. */
export type FailedKind = Pick<Descriptor, "group" | "kind">

interface Failure {
  readonly code: number
  readonly reason: StatusReason
  readonly message: string
  readonly details?: StatusDetails
}

function failure({ code, reason, message, details }: Failure): StatusError {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason } as const
  return new StatusError(details === undefined ? { ...status, code } : { ...status, details, code })
}

/** Empty fields are left out, as on the wire. */
function details(of: {
  readonly group?: string
  readonly kind?: string
  readonly name?: string
  readonly retryAfterSeconds?: number
}): StatusDetails {
  return {
    ...(of.name ? { name: of.name } : {}),
    ...(of.group ? { group: of.group } : {}),
    ...(of.kind ? { kind: of.kind } : {}),
    ...(of.retryAfterSeconds ? { retryAfterSeconds: of.retryAfterSeconds } : {}),
  }
}

function detailsOf(resource: FailedResource, name?: string, retryAfterSeconds?: number): StatusDetails {
  return details({ group: resource.group, kind: resource.plural, name, retryAfterSeconds })
}

function named(resource: FailedResource, name: string): string {
  return `${resourceNameOf(resource)} ${quoted(name)}`
}

/** Returns a 404 NotFound: apimachinery's NewNotFound. */
export function notFound(resource: FailedResource, name: string): StatusError {
  return failure({ code: 404, reason: "NotFound", message: `${named(resource, name)} not found`, details: detailsOf(resource, name) })
}

/** Options of `alreadyExists`. */
export interface AlreadyExistsOptions {
  /** The one that exists is waiting for its finalizers. */
  readonly terminating?: boolean
}

/** Returns the error of a create of a name that is taken: 409 AlreadyExists (apimachinery's NewAlreadyExists). */
export function alreadyExists(resource: FailedResource, name: string, options: AlreadyExistsOptions = {}): StatusError {
  const prefix = options.terminating === true ? "object is being deleted: " : ""
  const message = `${prefix}${named(resource, name)} already exists`
  return failure({ code: 409, reason: "AlreadyExists", message, details: detailsOf(resource, name) })
}

/** Every name tried for a generateName was taken. */
export function generateNameConflict(resource: FailedResource, name: string, retryAfterSeconds: number): StatusError {
  const message = `${named(resource, name)} already exists, the server was not able to generate a unique name for the object`
  return failure({ code: 409, reason: "AlreadyExists", message, details: detailsOf(resource, name, retryAfterSeconds) })
}

const modified = "the object has been modified; please apply your changes to the latest version and try again"

/** Returns the 409 Conflict of a write against an older version: apimachinery's NewConflict. */
export function conflict(resource: FailedResource, name: string, why: string = modified): StatusError {
  const message = `Operation cannot be fulfilled on ${named(resource, name)}: ${why}`
  return failure({ code: 409, reason: "Conflict", message, details: detailsOf(resource, name) })
}

/** Fields that another manager owns (server-side apply). */
export function applyConflict(causes: readonly StatusCause[], message: string): StatusError {
  return failure({ code: 409, reason: "Conflict", message, details: causes.length === 0 ? {} : { causes } })
}

/** Characters of the causes of one answer. More can only come of a body that has mistakes by the thousand, and each may show all of it. */
const maxCauseCharacters = 1024 * 1024

/** One cause per wrong field, made by `fieldError`. Of more than 1 MiB of them the first are shown, and how many there are beside them. */
export function invalid(kind: FailedKind, name: string, all: readonly StatusCause[]): StatusError {
  const qualified = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`
  const causes = firstCauses(all)
  const left = all.length - causes.length
  const what = `${formatFieldErrors(causes)}${left === 0 ? "" : ` and ${left} more`}`
  const message = `${qualified} ${quoted(name)} is invalid${what === "" ? "" : `: ${what}`}`
  const about = details({ group: kind.group, kind: kind.kind, name })
  return failure({ code: 422, reason: "Invalid", message, details: causes.length === 0 ? about : { ...about, causes } })
}

function firstCauses(causes: readonly StatusCause[]): readonly StatusCause[] {
  let room = maxCauseCharacters
  const end = causes.findIndex(({ message = "", field = "" }, index) => (room -= message.length + field.length) < 0 && index > 0)
  return end < 0 ? causes : causes.slice(0, end)
}

/** Returns a 400 BadRequest: apimachinery's NewBadRequest. */
export function badRequest(message: string): StatusError {
  return failure({ code: 400, reason: "BadRequest", message })
}

/** Returns a 401 Unauthorized: apimachinery's NewUnauthorized. */
export function unauthorized(message = "Unauthorized"): StatusError {
  return failure({ code: 401, reason: "Unauthorized", message })
}

/** Without a resource: a path such as /metrics. Without a name: a list or a collection. */
export function forbidden(resource: FailedResource | undefined, name: string, why: string): StatusError {
  if (resource === undefined) return failure({ code: 403, reason: "Forbidden", message: `forbidden: ${why}`, details: details({ name }) })
  const what = name === "" ? resourceNameOf(resource) : named(resource, name)
  return failure({ code: 403, reason: "Forbidden", message: `${what} is forbidden: ${why}`, details: detailsOf(resource, name) })
}

/** Returns the 405 of a verb that the resource does not have: apimachinery's NewMethodNotSupported. */
export function methodNotAllowed(resource: FailedResource, action: string): StatusError {
  const message = `${action} is not supported on resources of kind ${quoted(resourceNameOf(resource))}`
  return failure({ code: 405, reason: "MethodNotAllowed", message, details: detailsOf(resource) })
}

/** Options of `notAcceptable`. */
export interface NotAcceptableOptions {
  /** The kind that was asked for by `as=`: "meta.k8s.io/v1, Kind=Table". */
  readonly converting?: string
}

/** Returns the 406 of an Accept header that no form of the answer matches. */
export function notAcceptable(accepted: readonly string[], options: NotAcceptableOptions = {}): StatusError {
  const when = options.converting === undefined ? "" : ` when converting to ${options.converting}`
  return failure({
    code: 406,
    reason: "NotAcceptable",
    message: `only the following media types are accepted${when}: ${accepted.join(", ")}`,
  })
}

/** Returns the 415 of a body whose content type is not read. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`
  return failure({ code: 415, reason: "UnsupportedMediaType", message })
}

/** Returns a 410 Gone: apimachinery's NewGone. */
export function gone(message: string): StatusError {
  return failure({ code: 410, reason: "Gone", message })
}

/** A resource version or continue token that history does not reach any more. */
export function expired(message: string): StatusError {
  return failure({ code: 410, reason: "Expired", message })
}

/** Returns a 413 RequestEntityTooLarge: apimachinery's NewRequestEntityTooLargeError. */
export function requestEntityTooLarge(message: string): StatusError {
  return failure({ code: 413, reason: "RequestEntityTooLarge", message: `Request entity too large: ${message}` })
}

/** Returns a 429 TooManyRequests: apimachinery's NewTooManyRequests. */
export function tooManyRequests(message: string, retryAfterSeconds = 0): StatusError {
  return failure({ code: 429, reason: "TooManyRequests", message, details: details({ retryAfterSeconds }) })
}

/** Returns a 500 InternalError: apimachinery's NewInternalError. */
export function internalError(message: string): StatusError {
  const text = `Internal error occurred: ${message}`
  return failure({ code: 500, reason: "InternalError", message: text, details: { causes: [{ message }] } })
}

/** The server did not get to it; it is safe to try again. */
export function serverTimeout(resource: FailedResource, operation: string, retryAfterSeconds = 0): StatusError {
  const message = `The ${operation} operation against ${resourceNameOf(resource)} could not be completed at this time, please try again.`
  return failure({ code: 500, reason: "ServerTimeout", message, details: detailsOf(resource, operation, retryAfterSeconds) })
}

/** Returns a 503 ServiceUnavailable: apimachinery's NewServiceUnavailable. */
export function serviceUnavailable(message: string): StatusError {
  return failure({ code: 503, reason: "ServiceUnavailable", message })
}

/** The operation may still be carried out. */
export function timeout(message: string, retryAfterSeconds = 0, causes: readonly StatusCause[] = []): StatusError {
  const about = details({ retryAfterSeconds })
  return failure({
    code: 504,
    reason: "Timeout",
    message: `Timeout: ${message}`,
    details: causes.length === 0 ? about : { ...about, causes },
  })
}

/** A read asks for a revision this server has not reached within the time it may wait. */
export function resourceVersionTooLarge(asked: string, current: string, retryAfterSeconds = 1): StatusError {
  const cause = { reason: "ResourceVersionTooLarge", message: "Too large resource version" }
  return timeout(`Too large resource version: ${asked}, current: ${current}`, retryAfterSeconds, [cause])
}
