import {
  type Clock,
  type Duration,
  type Gauge,
  type HeaderMap,
  isRetryable,
  type Metrics,
  milliseconds,
  noMetrics,
  type Query,
  Semaphore,
  type Verb,
  valueBody,
  withoutTrailing,
} from "@pilothouse/seams"
import { type Answer, toAnswer } from "./answer.ts"
import { withCallTimeout } from "./call-timeout.ts"
import type { CallOptions } from "./collection.ts"
import { isRefusal, OpenStackError, type OpenStackService, refused } from "./errors.ts"
import type { Connect, Keystone } from "./keystone.ts"
import type { ParseRefusal } from "./refusals.ts"

export interface ServiceCallsOptions {
  readonly keystone: Keystone
  readonly connect: Connect
  readonly clock: Clock
  /** As in the catalog: "network". */
  readonly serviceType: string
  readonly parseRefusal: ParseRefusal
  readonly timeout: Duration
  readonly retries: number
  readonly metrics?: Metrics
}

/** One call of an OpenStack service, before it has a token and an endpoint. */
export interface ServiceCall {
  readonly verb: Verb
  /** With the version: "/v2.0/ports". */
  readonly path: string
  readonly query?: Query
  readonly body?: unknown
  readonly headers?: HeaderMap
  /** Whether asking twice does no more than asking once. Where it may, an answer that did not come is asked for again. */
  readonly repeatable: boolean
  readonly options?: CallOptions
}

const firstWait = 250
const maxWait = 5_000
/** The service behind a type of the catalog. */
const services: Readonly<Record<string, OpenStackService>> = { network: "neutron", "load-balancer": "octavia", compute: "nova" }
/** Calls of one service under way at once: a slow one must not be buried under the questions of a thousand objects. The others wait here. */
const maxAtOnce = 20
/** How long a call waits for its turn, where it does not say itself how long it may take. */
const maxTurn = "4m"

/** Calls to one service: with a token, within a time, again where that is safe, and failures as errors that say what they mean. */
export class ServiceCalls {
  readonly #options: ServiceCallsOptions
  readonly #slots = new Semaphore(maxAtOnce)

  readonly #waiting: Gauge

  constructor(options: ServiceCallsOptions) {
    this.#options = options
    const { metrics = noMetrics } = options
    this.#waiting = metrics.gauge({
      name: "kuryr_calls_waiting_count",
      help: "Calls to a service that wait here: too many are unanswered.",
    })
  }

  /** Milliseconds that one answer may take. */
  get timeout(): number {
    return milliseconds(this.#options.timeout)
  }

  async send(call: ServiceCall): Promise<Answer> {
    const { clock, retries } = this.#options
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#withToken(call)
      } catch (error) {
        if (!call.repeatable || attempt >= retries || !isTransient(error)) throw error
        const wait = Math.min(maxWait, firstWait * 2 ** attempt)
        await clock.sleep(wait, { signal: call.options?.signal, name: `${call.verb} ${call.path} again` })
      }
    }
  }

  /** A token can be revoked at any time, so a refused one is renewed once. */
  async #withToken(call: ServiceCall): Promise<Answer> {
    const first = await this.#options.keystone.token(call.options)
    const answer = await this.#once(call, first.text)
    if (answer.status !== 401) return this.#checked(call, answer)
    const second = await this.#options.keystone.token({ ...call.options, refused: first.text })
    return this.#checked(call, await this.#once(call, second.text))
  }

  async #once(call: ServiceCall, token: string): Promise<Answer> {
    const { verb, path, query = {}, body, headers, options } = call
    const { clock, connect, keystone, serviceType, timeout } = this.#options
    const transport = connect(withoutVersion(await keystone.endpoint(serviceType, options)), services[serviceType])
    const request = { verb, path, query, headers: { accept: "application/json", ...headers, "x-auth-token": token } }
    const full = body === undefined ? request : { ...request, body: valueBody(body) }
    // The time until it is sent is not the service's.
    using _slot = await this.#turn(call)
    const limit = { clock, timeout: options?.timeout ?? timeout, signal: options?.signal, what: `${verb} ${path}` }
    return await withCallTimeout(limit, async (signal) => toAnswer(await transport({ ...full, signal })))
  }

  /** One after the other, and not for ever. */
  async #turn({ verb, path, options }: ServiceCall): Promise<Disposable> {
    if (this.#slots.isAvailable) return this.#slots.acquire(options?.signal)
    const { clock, serviceType: service } = this.#options
    const what = `${verb} ${path}, not sent yet behind ${this.#slots.waiting + maxAtOnce} others,`
    const turn = withCallTimeout({ clock, timeout: options?.timeout ?? maxTurn, signal: options?.signal, what }, (end) =>
      this.#slots.acquire(end),
    )
    this.#waiting.set(this.#slots.waiting, { service })
    try {
      return await turn
    } finally {
      this.#waiting.set(this.#slots.waiting, { service })
    }
  }

  #checked({ verb, path }: ServiceCall, answer: Answer): Answer {
    if (answer.status >= 200 && answer.status < 300) return answer
    throw refused(this.#options.parseRefusal(answer, `${verb} ${path}`))
  }
}

/** Only what says nothing about the call itself: the service or the way to it. A refusal is not argued with. */
function isTransient(error: unknown): boolean {
  return error instanceof OpenStackError ? isRefusal(error, "unavailable") : isRetryable(error)
}

/** Catalogs name a service with its version or without: "http://host/load-balancer/v2.0" is "http://host/load-balancer". */
export function withoutVersion(url: string): string {
  return withoutTrailing(url, "/").replace(/\/v\d+(\.\d+)?$/, "")
}
