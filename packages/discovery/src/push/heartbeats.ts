import type { Clock } from "@pilothouse/seams"
import { takesTtl, type XdsClient } from "../generators/client.ts"
import { Lifetime } from "../session/lifetime.ts"
import type { Protocol } from "../session/responses.ts"
import type { Session } from "../session/session.ts"

/** How often resources with a time to live are repeated. */
export interface HeartbeatsOptions {
  readonly clock: Clock
  /** Milliseconds; undefined: nothing runs out. */
  readonly ttl: number | undefined
  readonly sessions: Iterable<Session>
}

/** Where resources run out: sends heartbeats to all clients, two in each time to live. */
export class Heartbeats implements Disposable {
  readonly #options: HeartbeatsOptions
  #timer: Disposable | undefined

  constructor(options: HeartbeatsOptions) {
    this.#options = options
    this.#next()
  }

  /** What its session is given; nothing for a client that could not take it. */
  forClient(client: XdsClient, protocol: Protocol): { readonly lifetime?: Lifetime } {
    const { ttl } = this.#options
    return ttl !== undefined && takesTtl(client, protocol) ? { lifetime: new Lifetime(ttl, protocol) } : {}
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
  }

  #next(): void {
    const { clock, ttl, sessions } = this.#options
    if (ttl === undefined) return
    this.#timer = clock.timer(ttl / 2, "heartbeats of resources that run out", () => {
      for (const session of sessions) session.heartbeat()
      this.#next()
    })
  }
}
