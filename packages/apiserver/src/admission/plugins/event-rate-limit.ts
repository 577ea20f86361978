import { tooManyRequests } from "@pilothouse/api"
import { type Event, events } from "@pilothouse/api/core/v1"
import type { Event as EventV1 } from "@pilothouse/api/events/v1"
import { TokenBucket } from "@pilothouse/seams"
import { aggregate } from "../../authorization/authorizer.ts"
import type { AdmissionAttributes, AdmissionPlugin } from "../plugin.ts"

type LimitType = "Server" | "Namespace" | "User" | "SourceAndObject"

/** How many Events of one key are admitted. */
export interface EventLimit {
  readonly type: LimitType
  /** In a second, in the long run. */
  readonly qps: number
  /** At once. */
  readonly burst: number
  /** Keys whose rate is remembered; 4096 by default. */
  readonly cacheSize?: number
}

const defaultCacheSize = 4096

const keys: Readonly<Record<EventLimit["type"], (attributes: AdmissionAttributes) => string>> = {
  Server: () => "",
  Namespace: ({ namespace = "" }) => namespace,
  User: ({ identity }) => identity.name,
  SourceAndObject: ({ object }) => {
    // An Event of events.k8s.io says the same under other names.
    const { deprecatedSource = {}, regarding = {} } = object as unknown as EventV1
    const { source = deprecatedSource, involvedObject: about = regarding } = object as unknown as Partial<Event>
    const { component = "", host = "" } = source
    const { kind = "", namespace = "", name = "", uid = "", apiVersion = "" } = about
    return [component, host, kind, namespace, name, uid, apiVersion].join("")
  },
}

/** Refuses Events beyond the rates of a configuration. */
export function eventRateLimit(limits: readonly EventLimit[]): AdmissionPlugin {
  const enforced = limits.map((limit) => new EnforcedLimit(limit))
  return {
    name: "EventRateLimit",
    validate(attributes) {
      const { operation, resource, dryRun } = attributes
      if (operation === "DELETE" || resource.descriptor.kind !== events.kind || dryRun) return
      const reached = enforced.flatMap((limit) => limit.reached(attributes) ?? [])
      if (reached.length > 0) throw tooManyRequests(aggregate(reached))
    },
  }
}

/** Invariant: #buckets has at most cacheSize keys; the one that was used longest ago goes first. */
class EnforcedLimit {
  readonly #limit: EventLimit
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(limit: EventLimit) {
    this.#limit = limit
  }

  /** Takes a token; returns the refusal where there is none. */
  reached(attributes: AdmissionAttributes): string | undefined {
    const { type, qps: perSecond, burst, cacheSize = 0 } = this.#limit
    const key = keys[type](attributes)
    const bucket = this.#buckets.get(key) ?? new TokenBucket(attributes.server.clock, { perSecond, burst })
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > (cacheSize || defaultCacheSize) && oldest !== undefined) this.#buckets.delete(oldest)
    return bucket.tryTake() ? undefined : `limit reached on type ${type} for key ${key}`
  }
}
