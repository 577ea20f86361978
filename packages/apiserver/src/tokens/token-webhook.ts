import { createHmac } from "node:crypto"
import { abortable, type Log, messageOf, Semaphore, withTimeout } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import { postReview, ReviewCache, type ReviewClientOptions } from "../webhook-client/review-client.ts"
import type { Known, TokenRefusal } from "./service-account-tokens.ts"

/** The server of --authentication-token-webhook-config-file, and how its answers are kept. */
export interface TokenWebhookOptions extends ReviewClientOptions {
  readonly log: Log
  readonly version: "v1" | "v1beta1"
  /** The audiences of this server, which a webhook that says nothing of audiences vouches for; none where it has no tokens of its own. */
  readonly ownAudiences?: readonly string[] | undefined
  /** Milliseconds that an answer is kept, good or bad; 0 keeps none. Failures and refusals with an error are never kept. */
  readonly cacheTtl: number
}

/** Whose token it is; why it is not good; undefined for one that is not known. */
export type TokenAnswer = Known | TokenRefusal | undefined

/** As many as upstream's cache of tokens. */
const maxAnswers = 32_768
/** Milliseconds of all tries together. */
const lookupTime = 30_000
/** Tokens that are asked about at a time: any client can send new ones. */
const maxCalls = 200
/** Tokens that wait for a call beside them. Where the webhook hangs, more would only fill the memory and be late for their clients. */
const maxWaiting = 500

/**
 * Asks another server whose tokens are, by TokenReviews.
 *
 * Invariant: of one token and one list of audiences at most one call is under way, and no token is kept: answers are found by a keyed hash.
 */
export class TokenWebhook {
  readonly #options: TokenWebhookOptions
  readonly #answers: ReviewCache<{ readonly answer: TokenAnswer }>
  readonly #underWay = new Map<string, Promise<TokenAnswer>>()
  readonly #calls = new Semaphore(maxCalls)
  readonly #hashKey: string

  constructor(options: TokenWebhookOptions) {
    this.#options = options
    this.#answers = new ReviewCache(options.clock, maxAnswers)
    // Two UUIDs are 244 random bits.
    this.#hashKey = options.random.uuid() + options.random.uuid()
  }

  /** Returns whose token it is, for which of these audiences; where none are named, audiences are not compared. */
  review(token: string, audiences: readonly string[]): TokenAnswer | Promise<TokenAnswer> {
    const key = createHmac("sha256", this.#hashKey)
      .update(JSON.stringify([token, audiences]))
      .digest("base64")
    const kept = this.#answers.get(key)
    if (kept !== undefined) return kept.answer
    const underWay = this.#underWay.get(key)
    if (underWay !== undefined) return underWay
    const asked = this.#ask(key, token, audiences).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, asked)
    return asked
  }

  async #ask(key: string, token: string, audiences: readonly string[]): Promise<TokenAnswer> {
    const { clock, log, cacheTtl } = this.#options
    if (this.#calls.waiting >= maxWaiting) return { refused: `more than ${maxWaiting} tokens wait for the authentication webhook` }
    try {
      const error = () => new Error("context deadline exceeded")
      const limit = { clock, timeout: lookupTime, name: "whose a token is", error }
      const review = this.#reviewOf(token, audiences)
      const value = await withTimeout(limit, async (signal) => {
        using _call = await this.#calls.acquire(signal)
        return await abortable(postReview(this.#options, review), signal)
      })
      const answer = answerIn(value, audiences, this.#options.ownAudiences ?? [])
      if (answer === undefined || "identity" in answer) this.#answers.set(key, { answer }, cacheTtl)
      return answer
    } catch (error) {
      log.error("the authentication webhook failed", { error: messageOf(error) })
      return { refused: messageOf(error) }
    }
  }

  #reviewOf(token: string, audiences: readonly string[]): object {
    const spec = { token, ...(audiences.length > 0 && { audiences }) }
    return { kind: "TokenReview", apiVersion: `authentication.k8s.io/${this.#options.version}`, metadata: {}, spec, status: { user: {} } }
  }
}

interface ReviewStatus {
  readonly authenticated?: boolean
  readonly error?: string
  readonly audiences?: readonly string[]
  readonly user?: {
    readonly username?: string
    readonly uid?: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
}

function answerIn(value: unknown, wanted: readonly string[], own: readonly string[]): TokenAnswer {
  const status = statusOf(value)
  const good = status.audiences === undefined || status.audiences.length === 0 ? own : status.audiences
  const audiences = wanted.filter((one) => good.includes(one))
  if (wanted.length > 0 && audiences.length === 0) return undefined
  if (status.authenticated !== true) return status.error === undefined || status.error === "" ? undefined : { refused: status.error }
  const { username = "", uid = "", groups = [], extra } = status.user ?? {}
  const identity: Identity = { name: username, ...(uid !== "" && { uid }), groups, ...(extra !== undefined && { extra }) }
  return { identity, audiences }
}

/** Who a user is must not be guessed: what is not of its type is a failure of the webhook. */
function statusOf(value: unknown): ReviewStatus {
  const { kind, apiVersion = "", status } = value as { readonly kind?: unknown; readonly apiVersion?: unknown; readonly status?: unknown }
  if (kind !== "TokenReview" || !/^authentication\.k8s\.io\/v1(beta1)?$/.test(String(apiVersion)))
    throw new Error(`expected a TokenReview of authentication.k8s.io from the webhook, found ${String(kind)} of "${String(apiVersion)}"`)
  const given = withoutNulls(status, "status")
  const user = withoutNulls(given.user, "status.user")
  const extra = withoutNulls(user.extra, "status.user.extra")
  ofType("boolean", { "status.authenticated": given.authenticated })
  ofType("string", { "status.error": given.error, "status.user.username": user.username, "status.user.uid": user.uid })
  const lists = { "status.audiences": given.audiences, "status.user.groups": user.groups }
  for (const [path, list] of [...Object.entries(lists), ...Object.entries(extra)]) checkTexts(path, list)
  return { ...given, user: { ...user, ...(user.extra !== undefined && { extra }) } } as ReviewStatus
}

function withoutNulls(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {}
  if (typeof value !== "object" || Array.isArray(value))
    throw new Error(`expected an object in ${path} of a TokenReview, found another type`)
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}

function ofType(type: "boolean" | "string", values: Readonly<Record<string, unknown>>): void {
  for (const [path, value] of Object.entries(values)) {
    if (value !== undefined && typeof value !== type)
      throw new Error(`expected a ${type} in ${path} of a TokenReview, found ${typeof value}`)
  }
}

function checkTexts(path: string, list: unknown): void {
  if (list === undefined) return
  if (!Array.isArray(list) || list.some((one) => typeof one !== "string"))
    throw new Error(`expected a list of strings in ${path} of a TokenReview, found something else`)
}
