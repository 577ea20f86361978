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

type Changing = { -readonly [Key in keyof KindLog]: KindLog[Key] }

/** Responses without a verdict that are remembered: a client that never answers costs no more. */
const openLimit = 32

/**
 * When what was sent, accepted or refused on one stream.
 *
 * Always true between calls: open responses stand in the order of their nonces.
 */
export class SentLog {
  readonly #open = new Map<Kind, SentResponse[]>()
  readonly #facts = new Map<Kind, Changing>()

  sent(kind: Kind, response: SentResponse): void {
    const open = this.#open.get(kind) ?? []
    this.#open.set(kind, open)
    open.push(response)
    if (open.length > openLimit) open.shift()
    const facts = this.#of(kind)
    facts.sentAt = response.at
    facts.responses++
    facts.bytes += response.bytes
  }

  /** Takes a verdict in; returns the changes that are now accepted. An ACK stands for all responses before it. */
  judged(kind: Kind, { is, nonce }: Verdict, at: number): readonly Tracked[] {
    const open = this.#open.get(kind) ?? []
    const until = Number(nonce)
    const later = open.findIndex((response) => Number(response.nonce) > until)
    const judged = open.splice(0, later === -1 ? open.length : later)
    const facts = this.#of(kind)
    if (is === "nack") facts.nackedAt = at
    else facts.ackedAt = at
    if (is === "nack") return []
    return judged.length === 1 ? judged[0]!.traces : judged.flatMap(({ traces }) => traces)
  }

  of(kind: Kind): KindLog {
    return this.#facts.get(kind) ?? { responses: 0, bytes: 0 }
  }

  #of(kind: Kind): Changing {
    const known = this.#facts.get(kind)
    if (known !== undefined) return known
    const made: Changing = { responses: 0, bytes: 0 }
    this.#facts.set(kind, made)
    return made
  }
}
