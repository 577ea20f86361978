import type { Kind } from "../xds/kinds.ts"
import type { Verdict } from "../xds/step.ts"
import type { Tracked } from "./change-trace.ts"

export interface SentResponse {
  readonly nonce: string
  readonly at: number
  readonly bytes: number
  readonly traces: readonly Tracked[]
}

export interface KindLog {
  readonly sentAt?: number
  readonly ackedAt?: number
  readonly nackedAt?: number
  readonly responses: number
  readonly bytes: number
}

/** Responses without a verdict that are remembered: a client that never answers costs no more. */
const openLimit = 32

/** When what was sent, accepted or refused on one stream. */
export class SentLog {
  readonly #open = new Map<Kind, SentResponse[]>()
  readonly #facts = new Map<Kind, KindLog>()

  sent(kind: Kind, response: SentResponse): void {
    const open = this.#open.get(kind) ?? []
    this.#open.set(kind, open)
    open.push(response)
    if (open.length > openLimit) open.shift()
    const facts = this.of(kind)
    this.#facts.set(kind, { ...facts, sentAt: response.at, responses: facts.responses + 1, bytes: facts.bytes + response.bytes })
  }

  /** Takes a verdict in; returns the changes that are now accepted. An ACK stands for all responses before it. */
  judged(kind: Kind, { is, nonce }: Verdict, at: number): readonly Tracked[] {
    const open = this.#open.get(kind) ?? []
    const until = Number(nonce)
    this.#open.set(
      kind,
      open.filter((response) => Number(response.nonce) > until),
    )
    this.#facts.set(kind, { ...this.of(kind), ...(is === "ack" ? { ackedAt: at } : { nackedAt: at }) })
    return is === "ack" ? open.filter((response) => Number(response.nonce) <= until).flatMap(({ traces }) => traces) : []
  }

  of(kind: Kind): KindLog {
    return this.#facts.get(kind) ?? { responses: 0, bytes: 0 }
  }
}
