import { type Clock, type Counter, type Gauge, type Labels, type Metrics, noMetrics, type TransportResponse } from "@pilothouse/seams"
import { requestInfoOf } from "../../request/request-info.ts"
import type { RequestHead } from "../../server/edge-transport.ts"
import { isLongRunning } from "./request-deadline.ts"

/** How many requests may be answered at a time (--max-requests-inflight, --max-mutating-requests-inflight); 0 for any number. */
export interface InFlightLimits {
  /** Those that only read. */
  readonly maxRequests: number
  /** Those that write. */
  readonly maxMutatingRequests: number
}

/** kube-apiserver's. */
export const defaultInFlight: InFlightLimits = { maxRequests: 400, maxMutatingRequests: 200 }

/** Thrown for a request that is one too many; `tooManyRequests` is its answer. */
export class TooManyInFlight extends Error {}

/** Requests of one kind. */
interface Kind {
  readonly limit: number
  readonly labels: Labels
  current: number
  /** The most at a time since the gauge was last set. */
  peak: number
}

/** How often the gauge is set, in milliseconds: it shows the most of the last second, as upstream's. */
const gaugeInterval = 1000

/** What a request has taken; undefined where it takes none of the room. */
export type Slot = Kind | undefined

/**
 * Limits the requests that are answered at the same time, those that read and those that write apart (upstream's WithMaxInFlightLimit). Watches,
 * logs and other long-running requests take no room but for their bodies. Privileged clients (system:masters) are answered also when there is none:
 * an administrator must be able to look. Privilege is that of the authenticated user, also where it impersonates another. Priority and fairness is
 * to take the place of this module.
 *
 * Invariant: `current` of a kind is the number of its slots that are taken and not yet released.
 */
export class InFlight implements Disposable {
  readonly #reading: Kind
  readonly #writing: Kind
  /** Writes to other servers, with their bodies: as many as writes, and not counted in upstream's gauge. */
  readonly #proxying: Kind
  readonly #clock: Clock
  readonly #gauge: Gauge
  readonly #refused: Counter
  #timer: Disposable | undefined

  constructor(clock: Clock, limits: InFlightLimits = defaultInFlight, metrics: Metrics = noMetrics) {
    const kind = (name: string, limit: number): Kind => ({ limit, labels: Object.freeze({ request_kind: name }), current: 0, peak: 0 })
    this.#reading = kind("readOnly", limits.maxRequests)
    this.#writing = kind("mutating", limits.maxMutatingRequests)
    this.#proxying = kind("proxying", limits.maxMutatingRequests)
    this.#clock = clock
    const help = "Most requests in flight during the last second, by request_kind (readOnly or mutating)."
    this.#gauge = metrics.gauge({ name: "apiserver_current_inflight_requests", help })
    const refused = "Requests answered with 429 because too many were in flight, by verb, scope, component and code."
    this.#refused = metrics.counter({ name: "apiserver_request_terminations_total", help: refused })
  }

  /** Throws TooManyInFlight where there is no room. A request that is proxied takes some only with a body, which is kept for as long as it lasts. */
  enter(head: RequestHead, isPrivileged: boolean, withBody = false): Slot {
    const isLong = isLongRunning(head)
    const kind = head.verb === "GET" ? this.#reading : isLong ? this.#proxying : this.#writing
    if (kind.limit === 0 || (isLong && !withBody)) return undefined
    if (kind.current >= kind.limit) {
      if (isPrivileged) return undefined
      this.#refused.add(1, refusedLabels(head))
      throw new TooManyInFlight()
    }
    kind.current++
    if (kind.current > kind.peak) kind.peak = kind.current
    this.#timer ??= this.#setGaugeLater()
    return kind
  }

  leave(slot: Slot): void {
    if (slot !== undefined) slot.current--
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
  }

  /** The timer runs while there are requests, and once more. */
  #setGaugeLater(): Disposable {
    return this.#clock.timer(gaugeInterval, "gauge of requests in flight", () => {
      const [reading, writing] = [this.#reading, this.#writing]
      const wasBusy = reading.peak + writing.peak > 0
      for (const kind of [reading, writing]) {
        this.#gauge.set(kind.peak, kind.labels)
        kind.peak = kind.current
      }
      this.#timer = wasBusy ? this.#setGaugeLater() : undefined
    })
  }
}

/** Upstream's, without group, version, resource and subresource: before a request is answered these are what its client made up, without end. */
function refusedLabels({ verb, path }: RequestHead): Labels {
  const { plural, namespace, name } = requestInfoOf(path) ?? {}
  const scope = plural === undefined ? "" : name !== undefined ? "resource" : namespace !== undefined ? "namespace" : "cluster"
  const isList = verb === "GET" && (scope === "namespace" || scope === "cluster")
  return { verb: isList ? "LIST" : verb, scope, component: "apiserver", code: "429" }
}

/** In upstream's words, which are not a Status. */
export function tooManyRequests(): TransportResponse {
  const contentType = "text/plain; charset=utf-8"
  const bytes = Buffer.from("Too many requests, please try again later.\n")
  return { status: 429, headers: { "retry-after": "1", "x-content-type-options": "nosniff" }, body: { type: "bytes", bytes, contentType } }
}
