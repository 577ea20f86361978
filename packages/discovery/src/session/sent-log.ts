import type { Kind } from "../xds/kinds.ts"
import type { Verdict } from "../xds/step.ts"
import type { Tracked } from "./change-trace.ts"

/** A response that was sent, for the debug pages. */
export interface SentResponse {
  readonly nonce: string
  readonly at: number
  readonly bytes: number
  readonly traces: readonly Tracked[]
}

/** The last responses of one kind, and the client's answers. */
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
 * Invariant: open responses stand in the order of their nonces.
 */
export class SentLog {
  readonly #open: Partial<Record<Kind, SentResponse[] | undefined>> = {}
  readonly #facts: Partial<Record<Kind, Changing>> = {}

  sent(kind: Kind, response: SentResponse): void {
    const open = this.#open[kind]
    if (open === undefined) this.#open[kind] = [response]
    else if (open.push(response) > openLimit) open.shift()
    const facts = this.#of(kind)
    facts.sentAt = response.at
    facts.responses++
    facts.bytes += response.bytes
  }

  /** Takes a verdict in; returns the changes that are now accepted. An ACK stands for all responses before it. */
  judged(kind: Kind, { is, nonce }: Verdict, at: number): readonly Tracked[] {
    const judged = this.#close(kind, Number(nonce))
    const facts = this.#of(kind)
    if (is === "nack") facts.nackedAt = at
    else facts.ackedAt = at
    if (is === "nack") return []
    return judged.length === 1 ? judged[0]!.traces : judged.flatMap(({ traces }) => traces)
  }

  of(kind: Kind): KindLog {
    return this.#facts[kind] ?? { responses: 0, bytes: 0 }
  }

  /** Those up to this nonce are open no more. */
  #close(kind: Kind, until: number): readonly SentResponse[] {
    const open = this.#open[kind] ?? []
    const later = open.findIndex((response) => Number(response.nonce) > until)
    if (later >= 0) return open.splice(0, later)
    this.#open[kind] = undefined
    return open
  }

  #of(kind: Kind): Changing {
    const known = this.#facts[kind]
    if (known !== undefined) return known
    const made: Changing = { responses: 0, bytes: 0 }
    this.#facts[kind] = made
    return made
  }
}
