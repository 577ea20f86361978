import { abortable, type Clock, type Duration, isRetryable, PilothouseError, valueBody, withoutTrailing } from "@pilothouse/seams"
import { type Answer, toAnswer } from "../answer.ts"
import type { CallOptions } from "../collection.ts"
import { isRefusal, OpenStackError, refused } from "../errors.ts"
import { keystoneRefusal } from "../refusals.ts"
import { withCallTimeout } from "../time-limit.ts"
import { authRequest } from "./auth-request.ts"
import { findEndpoint } from "./catalog.ts"
import type { CloudAccess, Connect, Keystone, Token } from "./keystone.ts"
import { parseToken } from "./token.ts"

export interface KeystoneClientOptions {
  readonly access: CloudAccess
  readonly connect: Connect
  readonly clock: Clock
  readonly timeout: Duration
  readonly retries: number
}

/** A token is renewed this long before it ends, so that none ends on its way; a short-lived one when half of its life is over. */
const margin = 60_000
const firstWait = 250

/** Always true: at most one token is being asked for, and everybody who needs one waits for that. */
export class KeystoneClient implements Keystone {
  readonly #options: KeystoneClientOptions
  #token: { readonly token: Token; readonly renewAt: number } | undefined
  #asking: Promise<Token> | undefined

  constructor(options: KeystoneClientOptions) {
    this.#options = options
  }

  async token({ signal, refused: bad }: CallOptions & { readonly refused?: string } = {}): Promise<Token> {
    const known = this.#token
    if (known !== undefined && known.token.text !== bad && this.#options.clock.now() < known.renewAt) return known.token
    // Not with the caller's signal: others wait for the same token, and the time limit ends it anyway.
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return abortable(this.#asking, signal)
  }

  async projectId(options?: CallOptions): Promise<string> {
    const { project } = await this.token(options)
    if (project !== undefined) return project.id
    throw new PilothouseError(
      "CREDENTIALS",
      `expected a project of the token from ${this.#options.access.authUrl}, found none; set project_name`,
    )
  }

  async endpoint(serviceType: string, options?: CallOptions): Promise<string> {
    const own = this.#options.access.endpoints?.[serviceType]
    return own ?? findEndpoint((await this.token(options)).catalog, serviceType, this.#options.access)
  }

  async #ask(): Promise<Token> {
    const { clock, retries } = this.#options
    for (let attempt = 0; ; attempt++) {
      try {
        const token = parseToken(await this.#post())
        const now = clock.now()
        this.#token = { token, renewAt: Math.max(token.expires - margin, now + (token.expires - now) / 2) }
        return token
      } catch (error) {
        const passes = error instanceof OpenStackError ? isRefusal(error, "unavailable") : isRetryable(error)
        if (attempt >= retries || !passes) throw error
        await clock.sleep(firstWait * 2 ** attempt, { name: "a token again" })
      }
    }
  }

  async #post(): Promise<Answer> {
    const { access, clock, connect, timeout } = this.#options
    const url = withVersion(access.authUrl)
    const transport = connect(url, "keystone")
    const what = `POST ${url}/auth/tokens`
    const request = {
      verb: "POST" as const,
      path: "/auth/tokens",
      query: {},
      headers: {},
      body: valueBody(authRequest(access.credentials)),
    }
    const answer = await withCallTimeout({ clock, timeout, what }, async (signal) => toAnswer(await transport({ ...request, signal })))
    if (answer.status === 201) return answer
    throw refused(keystoneRefusal(answer, what))
  }
}

/** auth_url comes with the version or without. */
function withVersion(authUrl: string): string {
  const url = withoutTrailing(authUrl, "/")
  return url.endsWith("/v3") ? url : `${url}/v3`
}
