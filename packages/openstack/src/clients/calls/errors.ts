import { type ErrorDetails, PilothouseError } from "@pilothouse/seams"

/** The service that answered; errors, metrics and retries are kept apart by it. */
export type OpenStackService = "keystone" | "neutron" | "octavia" | "nova"

/**
 * What an OpenStack service means by a refusal. A status alone does not say it: 409 has three meanings, Octavia answers 500 for a taken address
 * and 400 for a load balancer that still has children.
 */
export type RefusalKind =
  /** There is no such object (404, and Octavia's 400 about a subnet or network that is not there). */
  | "not-found"
  /** Another change is under way: the same call succeeds once it is over. */
  | "busy"
  /** There is such an object already: find it. */
  | "duplicate"
  /** The requested address is in use. */
  | "address-taken"
  /** The subnet has no address left. */
  | "no-address-left"
  /** The object is still used by others, so that it cannot go or change. */
  | "in-use"
  /** The project may have no more of it. */
  | "quota"
  /** If-Match did not match: another client changed the object since it was read (412). */
  | "stale"
  /** The request is wrong, and stays wrong. */
  | "invalid"
  /** The token is not accepted (401), also not a new one. */
  | "unauthorized"
  | "forbidden"
  /** The provider of the load balancer cannot do this (501). */
  | "unsupported"
  /** The service is not able to answer properly now (5xx, 429). */
  | "unavailable"
  /** Any other conflict (409). */
  | "conflict"

/** The kinds after which the same call may succeed without a change by the caller. */
const passing: ReadonlySet<RefusalKind> = new Set([
  "busy",
  "unavailable",
  "quota",
  "no-address-left",
  "address-taken",
  "stale",
  "in-use",
  "conflict",
])

/** An answer that refuses a call. `kind` is what code goes by; the text is for people. */
export interface Refusal {
  readonly service: OpenStackService
  readonly kind: RefusalKind
  readonly status: number
  /** The type that Neutron gives its errors: "PortNotFound". Empty where there is none. */
  readonly type: string
  /** "POST /v2.0/ports" */
  readonly call: string
  /** The service's own message. */
  readonly text: string
}

/** A service of the cloud refused a call. The message is its own, with the call in front. */
export class OpenStackError extends PilothouseError {
  override readonly name: string = "OpenStackError"
  readonly refusal: Refusal

  constructor(refusal: Refusal, details: ErrorDetails = {}) {
    super("CLOUD", `${refusal.call} answered ${refusal.status}: ${refusal.text}`, { retryable: passing.has(refusal.kind), ...details })
    this.refusal = refusal
  }

  get kind(): RefusalKind {
    return this.refusal.kind
  }
}

/** The project's quota is used up: an own type, because only the cloud's operator, or deleting something, can mend it. */
export class QuotaExceeded extends OpenStackError {
  override readonly name = "QuotaExceeded"
}

/** Reports whether an error is a refusal of one of these kinds. */
export function isRefusal(error: unknown, ...kinds: readonly RefusalKind[]): error is OpenStackError {
  return error instanceof OpenStackError && kinds.includes(error.kind)
}

export function refused(refusal: Refusal): OpenStackError {
  return refusal.kind === "quota" ? new QuotaExceeded(refusal) : new OpenStackError(refusal)
}
