import { isStatus } from "@pilothouse/api"
import {
  abortable,
  type Clock,
  isRetryable,
  messageOf,
  parseJson,
  type Random,
  type Transport,
  type TransportResponse,
  valueBody,
  withTimeout,
} from "@pilothouse/seams"

/** A server that answers reviews: where it is, and how it is reached. */
export interface ReviewServer {
  readonly transport: Transport
  /** "/authorize" */
  readonly path: string
}

export interface ReviewClientOptions {
  readonly server: ReviewServer
  readonly clock: Clock
  readonly random: Random
  /** Milliseconds of one try. */
  readonly timeout: number
  /** Milliseconds before the second try; 500 by default. */
  readonly retryBackoff?: number
}

const [tries, firstDelay, factor, jitter] = [5, 500, 1.5, 0.2]
/** Codes after which another try may succeed; others are final, unless the answer says when to try again. */
const retried: ReadonlySet<number> = new Set([429, 500, 504])

/** Sends a review and returns the answer. Tries five times in all where that can help, with growing delays; then throws what the last try came to. */
export async function postReview(options: ReviewClientOptions, review: object): Promise<unknown> {
  const { clock, random, retryBackoff = firstDelay } = options
  let delay = retryBackoff
  for (let attempt = 1; ; attempt++) {
    try {
      return await attempted(options, review)
    } catch (error) {
      if (attempt === tries || !(error instanceof ReviewFailure && error.isRetryable)) throw error
      await clock.sleep(delay * (1 + random.next() * jitter), { name: "a webhook is tried again" })
      delay *= factor
    }
  }
}

class ReviewFailure extends Error {
  override readonly name = "ReviewFailure"
  readonly isRetryable: boolean

  constructor(message: string, isRetryable: boolean) {
    super(message)
    this.isRetryable = isRetryable
  }
}

async function attempted({ server, clock, timeout }: ReviewClientOptions, review: object): Promise<unknown> {
  const headers = { "content-type": "application/json", accept: "application/json, */*" }
  const request = { verb: "POST", path: server.path, query: {}, headers, body: valueBody(review) } as const
  const late = () => new ReviewFailure("context deadline exceeded", false)
  try {
    const limit = { clock, timeout, name: "a webhook", error: late }
    return valueIn(await withTimeout(limit, (signal) => abortable(server.transport({ ...request, signal }), signal)))
  } catch (error) {
    if (error instanceof ReviewFailure) throw error
    throw new ReviewFailure(messageOf(error), isRetryable(error))
  }
}

function valueIn({ status, headers, body }: TransportResponse): unknown {
  if (body.type === "stream") throw new ReviewFailure("expected a whole answer, found a stream", false)
  const value = body.type === "value" ? body.value : parsed(body.bytes)
  if (status >= 200 && status < 300) {
    if (typeof value === "object" && value !== null) return value
    throw new ReviewFailure("expected a review, found something else", false)
  }
  const message = isStatus(value) ? value.message : undefined
  const text = message ?? `the server responded with the status code ${status} but did not return more information`
  throw new ReviewFailure(text, retried.has(status) || headers["retry-after"] !== undefined)
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder().decode(bytes))
  } catch {
    // An answer that is no JSON is none: the caller says so.
    return undefined
  }
}

/** Answers by their reviews, each until its time is over: the least recently used goes first where there are too many. */
export class ReviewCache<T> {
  readonly #clock: Pick<Clock, "elapsed">
  readonly #limit: number
  /** In order of use. */
  readonly #answers = new Map<string, { readonly value: T; readonly until: number }>()

  constructor(clock: Pick<Clock, "elapsed">, limit: number) {
    this.#clock = clock
    this.#limit = limit
  }

  get(key: string): T | undefined {
    const found = this.#answers.get(key)
    if (found === undefined) return undefined
    this.#answers.delete(key)
    if (found.until <= this.#clock.elapsed()) return undefined
    this.#answers.set(key, found)
    return found.value
  }

  /** Keeps an answer for so many milliseconds. */
  set(key: string, value: T, milliseconds: number): void {
    if (milliseconds <= 0) return
    this.#answers.delete(key)
    this.#answers.set(key, { value, until: this.#clock.elapsed() + milliseconds })
    const oldest = this.#answers.size > this.#limit ? this.#answers.keys().next() : undefined
    if (oldest?.done === false) this.#answers.delete(oldest.value)
  }
}
