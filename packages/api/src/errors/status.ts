import { messageOf, PilothouseError } from "@pilothouse/seams"
import type { ListMeta } from "../meta/meta.ts"

/** Why a request failed, for programs. "" where the server does not say. */
export type StatusReason =
  | ""
  | "AlreadyExists"
  | "BadRequest"
  | "Conflict"
  | "Expired"
  | "Forbidden"
  | "Gone"
  | "InternalError"
  | "Invalid"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "NotFound"
  | "RequestEntityTooLarge"
  | "ServerTimeout"
  | "ServiceUnavailable"
  | "StorageReadError"
  | "Timeout"
  | "TooManyRequests"
  | "Unauthorized"
  | "UnsupportedMediaType"

/** One field that is wrong, or another machine-readable fact about the failure. */
export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

/** The details of a Status: the object, the causes, and when to retry. */
export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  /** The plural resource ("pods"); only of Invalid the kind ("Pod"). */
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

/** What the API server answers when there is no object to answer with: every failure, and some deletes. */
export interface Status {
  readonly kind: "Status"
  readonly apiVersion: "v1"
  readonly metadata: ListMeta
  readonly status: "Success" | "Failure"
  readonly message?: string
  /** A StatusReason; other servers may have more of them. */
  readonly reason?: StatusReason | (string & {})
  readonly details?: StatusDetails
  readonly code?: number
}

/** A Status failure as a thrown error; on both sides of the wire. `code` is always "STATUS": the HTTP code is `statusCode`. */
export class StatusError extends PilothouseError {
  override readonly name = "StatusError"
  readonly status: Status

  constructor(status: Status, cause?: unknown) {
    super("STATUS", status.message ?? `the server answered with status code ${status.code ?? "unknown"}`, {
      cause,
      retryable: mayWorkLater(status),
    })
    this.status = status
  }

  get reason(): StatusReason | (string & {}) {
    return this.status.reason ?? ""
  }

  get statusCode(): number {
    return this.status.code ?? 500
  }

  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? []
  }

  /** How long the server asks to wait; 0 when it does not ask. */
  get retryAfterSeconds(): number {
    return this.status.details?.retryAfterSeconds ?? 0
  }
}

const passing: ReadonlySet<string> = new Set(["InternalError", "ServerTimeout", "ServiceUnavailable", "Timeout", "TooManyRequests"])

// A Conflict is not among them: the same body conflicts again until the client reads the newer object.
function mayWorkLater(status: Status): boolean {
  if (passing.has(status.reason ?? "")) return true
  if ((status.details?.retryAfterSeconds ?? 0) > 0) return true
  return (status.reason ?? "") === "" && (status.code === 429 || (status.code ?? 0) >= 500)
}

/** Reports whether a value is a Status object. */
export function isStatus(value: unknown): value is Status {
  if (typeof value !== "object" || value === null) return false
  const { kind, apiVersion } = value as Partial<Record<string, unknown>>
  return kind === "Status" && (apiVersion === "v1" || apiVersion === "meta.k8s.io/v1")
}

/** Returns the Status with which the server answers anything that was thrown while it served a request. */
export function statusOf(thrown: unknown): Status {
  if (thrown instanceof StatusError) return complete(thrown.status)
  const { reason, code } = thrown instanceof PilothouseError ? (known[thrown.code] ?? unknown) : unknown
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: messageOf(thrown), reason, code }
}

interface Answer {
  readonly reason: StatusReason
  readonly code: number
}

const unknown: Answer = { reason: "InternalError", code: 500 }

/** Errors of ours that are the client's doing, or that it knows how to treat. */
const known: Readonly<Record<string, Answer>> = {
  INVALID: { reason: "BadRequest", code: 400 },
  PROTOCOL: { reason: "BadRequest", code: 400 },
  COMPACTED: { reason: "Expired", code: 410 },
  TIMEOUT: { reason: "Timeout", code: 504 },
  STORAGE_FAILED: { reason: "ServiceUnavailable", code: 503 },
}

function complete(status: Status): Status {
  return status.code === undefined ? { ...status, code: status.status === "Success" ? 200 : 500 } : status
}

/** Returns the Status of a delete that does not return the object. */
export function successStatus(details?: StatusDetails): Status {
  const base = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" } as const
  return details === undefined ? base : { ...base, details }
}
