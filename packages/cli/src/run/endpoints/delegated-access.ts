import { hash } from "node:crypto"
import type { ServeOptions } from "@pilothouse/apiserver"
import { createClient } from "@pilothouse/runtime"
import { type Clock, type HeaderMap, TokenBucket, type Transport, type TransportResponse } from "@pilothouse/seams"
import { debugAudience } from "./debug-audience.ts"

/** As upstream's components: longer, and a user who lost a right would keep it; not at all, and each scrape would cost the server two reviews. */
const defaultTtl = 10_000
const maxEntries = 1000

/** Per second in the long run, and at once: what all clients together that were not known in the last hour cost the API server at most. */
const ofStrangers = { perSecond: 20, burst: 100 }
/** The same of those that were: strangers do not keep them out. */
const ofKnown = { perSecond: 50, burst: 200 }
/** Reviews of strangers that may be under way: a slow API server is not asked more and more. */
const maxUnderWay = 20
const hour = 3_600_000

/** Health is public: probes have no credentials. */
const publicPaths = /^\/(healthz|livez|readyz)(\/|$)/

/** What a client has shown beside its headers. */
export type ShownCertificate = Parameters<ServeOptions["transportFor"]>[0]["certificate"]

/** For a client that has shown this certificate, or none. */
export type Access = (certificate?: ShownCertificate) => Transport

/**
 * Protects metrics, settings and trace: the API server is asked whose token it is and whether that user may GET the path,
 * as upstream's components do; a certificate of --client-ca-file says itself whose it is. A token is for the API server, as Prometheus shows one, or
 * for debug ports, as `explain` does; one for any other audience is refused. What was said is kept for 10 s, by the token's hash: a token is nothing
 * to keep. Clients that are not known cannot make it ask the API server more often than `Reviews` allows.
 */
export function delegatedAccess(endpoints: Transport, apiServer: Transport, clock: Clock): Access {
  const reviews = new Reviews(apiServer, clock)
  return (certificate) => async (request) => {
    const { path, signal } = request
    if (publicPaths.test(path)) return endpoints(request)
    const named = typeof certificate === "object" ? certificate : undefined
    const shown = named === undefined ? tokenIn(request.headers) : undefined
    const id = named?.fingerprint ?? hash("sha256", shown ?? "")
    const user =
      named === undefined
        ? shown && (await reviews.userOf(shown, id, signal))
        : { username: named.commonName, groups: [...named.organizations, "system:authenticated"] }
    if (user === "busy") return busy()
    if (!user) return refused(401, 'a bearer token that the API server knows is needed: "Authorization: Bearer …"')
    const may = await reviews.mayGet(user, id, path, signal)
    if (may === "busy") return busy()
    return may ? endpoints(request) : refused(403, `user "${user.username}" may not get ${path}`)
  }
}

/** Characters of a token that an API server is asked about. One of a service account has about 1,000, one of an identity provider with many groups some thousands. */
export const maxToken = 16_384

function tokenIn(headers: HeaderMap): string | undefined {
  const { authorization = "" } = headers
  return authorization.length > maxToken ? undefined : /^bearer +(\S+)$/i.exec(authorization)?.[1]
}

function refused(status: number, message: string): TransportResponse {
  const contentType = "text/plain; charset=utf-8"
  const bytes = new TextEncoder().encode(`${message}\n`)
  return { status, headers: { "content-type": contentType }, body: { type: "bytes", bytes, contentType } }
}

function busy(): TransportResponse {
  const response = refused(429, "the API server is asked about as many clients as it may be; try again in a second")
  return { ...response, headers: { ...response.headers, "retry-after": "1" } }
}

interface CachedReview<Answer> {
  readonly answer: Answer
  /** By the clock's `elapsed`. */
  readonly until: number
}

/** Answers that are asked for again and again. Invariant: at most 1,000 are kept, oldest forgotten first; none is given after its time. */
export class ReviewCache<Answer> {
  readonly #clock: Clock
  readonly #keptFor: number
  readonly #kept = new Map<string, CachedReview<Answer>>()

  /** `keptFor` is in milliseconds; 10 s by default. */
  constructor(clock: Clock, ttl = defaultTtl) {
    this.#clock = clock
    this.#keptFor = ttl
  }

  /** Undefined where none is kept. */
  get(question: string): Answer | undefined {
    const known = this.#kept.get(question)
    return known !== undefined && this.#clock.elapsed() < known.until ? known.answer : undefined
  }

  /** Instead of the one that is kept. */
  keep(question: string, answer: Answer): void {
    this.#kept.delete(question)
    this.#kept.set(question, { answer, until: this.#clock.elapsed() + this.#keptFor })
    const [oldest] = this.#kept.size > maxEntries ? this.#kept.keys() : []
    if (oldest !== undefined) this.#kept.delete(oldest)
  }
}

/** Whose a token is, as the API server says. */
interface User {
  readonly username: string
  readonly groups?: readonly string[]
}

/**
 * What the API server says of tokens and rights.
 *
 * Invariant: at most 20 reviews of strangers are under way; answers about strangers displace none about known clients; no token is kept.
 */
class Reviews {
  readonly #apiServer: Transport
  readonly #users: ReviewCache<User>
  /** Tokens that belong to no user. */
  readonly #strangers: ReviewCache<true>
  /** Tokens that belonged to a user at the last review. */
  readonly #seen: ReviewCache<true>
  readonly #rights: ReviewCache<boolean>
  readonly #forStrangers: TokenBucket
  readonly #forKnown: TokenBucket
  #underWay = 0

  constructor(apiServer: Transport, clock: Clock) {
    this.#apiServer = apiServer
    this.#users = new ReviewCache(clock)
    this.#strangers = new ReviewCache(clock)
    this.#seen = new ReviewCache(clock, hour)
    this.#rights = new ReviewCache(clock)
    this.#forStrangers = new TokenBucket(clock, ofStrangers)
    this.#forKnown = new TokenBucket(clock, ofKnown)
  }

  /** Undefined: it belongs to no user, or is for another audience. "busy": the API server is asked about as many as it may be. `id` is the token's hash. */
  async userOf(token: string, id: string, signal: AbortSignal | undefined): Promise<User | undefined | "busy"> {
    const known = this.#users.get(id)
    if (known !== undefined || this.#strangers.get(id)) return known
    const isSeen = this.#seen.get(id) === true
    if (!(isSeen ? this.#forKnown.tryTake() : this.#underWay < maxUnderWay && this.#forStrangers.tryTake())) return "busy"
    const user = await (isSeen ? this.#review(token, signal) : this.#counted(() => this.#review(token, signal)))
    if (user === undefined) this.#strangers.keep(id, true)
    else {
      this.#users.keep(id, user)
      this.#seen.keep(id, true)
    }
    return user
  }

  /** Whether the user may GET the path; "busy" as above. */
  async mayGet(user: User, id: string, path: string, signal: AbortSignal | undefined): Promise<boolean | "busy"> {
    const question = `${id} ${path}`
    const known = this.#rights.get(question)
    if (known !== undefined) return known
    if (!this.#forKnown.tryTake()) return "busy"
    const spec = { user: user.username, groups: user.groups, nonResourceAttributes: { path, verb: "get" } }
    const review = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec }
    const answer = await this.#post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review, signal)
    const allowed = (answer as { readonly status?: { readonly allowed?: boolean } }).status?.allowed === true
    this.#rights.keep(question, allowed)
    return allowed
  }

  async #review(token: string, signal: AbortSignal | undefined): Promise<User | undefined> {
    const forDebug = isForDebug(token)
    const spec = { token, ...(forDebug && { audiences: [debugAudience] }) }
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec }
    const { status } = (await this.#post("/apis/authentication.k8s.io/v1/tokenreviews", review, signal)) as TokenReviewAnswer
    // A server that knows nothing of audiences names none.
    const isAudience = !forDebug || status?.audiences?.includes(debugAudience) === true
    return status?.authenticated && isAudience ? status.user : undefined
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay++
    try {
      return await work()
    } finally {
      this.#underWay--
    }
  }

  #post(path: string, value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    const client = createClient(this.#apiServer, { userAgent: "pilothouse/delegated-access" })
    return client.request({ verb: "POST", path, body: { type: "value", value }, signal })
  }
}

interface TokenReviewAnswer {
  readonly status?: { readonly authenticated?: boolean; readonly user?: User; readonly audiences?: readonly string[] | null }
}

/** What a token says of itself, unchecked: it only chooses what the API server is asked. */
function isForDebug(token: string): boolean {
  const [, payload = "", signature] = token.split(".")
  if (signature === undefined) return false
  try {
    const { aud } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { readonly aud?: unknown }
    return aud === debugAudience || (Array.isArray(aud) && aud.includes(debugAudience))
  } catch {
    // No JWT: the API server says whose it is.
    return false
  }
}
