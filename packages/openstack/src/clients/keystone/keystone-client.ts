import { abortable, type Clock, type Duration, isRetryable, PilothouseError, valueBody, withoutTrailing } from "@pilothouse/seams"
import { type Answer, readMember, readText, toAnswer } from "../calls/answer.ts"
import { withCallTimeout } from "../calls/call-timeout.ts"
import type { CallOptions } from "../calls/collection.ts"
import { isRefusal, OpenStackError, refused } from "../calls/errors.ts"
import type { CatalogEntry, CloudAccess, Connect, Keystone, OpenStackCredentials, ProjectScope, Token } from "../calls/keystone.ts"
import { keystoneRefusal } from "../calls/refusals.ts"

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

/** Invariant: at most one request for a token is in progress, and every caller that needs one waits for it. */
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

/** The body of POST /v3/auth/tokens. */
function authRequest(credentials: OpenStackCredentials): unknown {
  return { auth: { identity: identityPart(credentials), ...scopePart(credentials) } }
}

function identityPart(credentials: OpenStackCredentials): unknown {
  switch (credentials.type) {
    case "password":
      return { methods: ["password"], password: { user: { ...credentials.user, password: credentials.password } } }
    case "token":
      return { methods: ["token"], token: { id: credentials.token } }
    case "application-credential": {
      const { id, name, user, secret } = credentials
      const who = id === undefined ? { name, user } : { id }
      return { methods: ["application_credential"], application_credential: { ...who, secret } }
    }
  }
}

/** An application credential belongs to a project already, and Keystone refuses a scope beside it. */
function scopePart(credentials: OpenStackCredentials): { readonly scope?: { readonly project: ProjectScope } } {
  if (credentials.type === "application-credential" || credentials.project === undefined) return {}
  const { id, name, domain } = credentials.project
  return { scope: { project: id === undefined ? { name, domain } : { id } } }
}

/** The token is in a header, everything about it in the body. */
function parseToken({ headers, value }: Answer): Token {
  const text = headers["x-subject-token"]
  const token = readMember(value, "token")
  const expires = Date.parse(readText(token, "expires_at"))
  if (text === undefined || Number.isNaN(expires)) {
    throw new PilothouseError(
      "PROTOCOL",
      "expected a token with its end from Keystone, found an answer without; is auth_url that of Keystone v3?",
    )
  }
  const project = readMember(token, "project")
  const roles = readMember(token, "roles")
  return {
    text,
    expires,
    ...(project === undefined ? {} : { project: named(project) }),
    user: named(readMember(token, "user")),
    roles: Array.isArray(roles) ? roles.map((role) => readText(role, "name")) : [],
    catalog: (readMember(token, "catalog") ?? []) as readonly CatalogEntry[],
  }
}

function named(value: unknown): { readonly id: string; readonly name: string } {
  return { id: readText(value, "id"), name: readText(value, "name") }
}

/** Older clouds use other types for the same service. */
const aliases: Readonly<Record<string, readonly string[]>> = { "load-balancer": ["load-balancer", "octavia"] }

/** The address of a service for a region and an interface. */
function findEndpoint(catalog: readonly CatalogEntry[], type: string, access: Pick<CloudAccess, "region" | "interface">): string {
  const requested = access.interface ?? "public"
  const entries = catalog.filter((entry) => (aliases[type] ?? [type]).includes(entry.type))
  const endpoints = entries.flatMap((entry) => entry.endpoints)
  const found = endpoints.find(
    (endpoint) => endpoint.interface === requested && (access.region === undefined || endpoint.region_id === access.region),
  )
  if (found !== undefined) return found.url
  const where = access.region === undefined ? "any region" : `region ${access.region}`
  throw new PilothouseError(
    "CREDENTIALS",
    `expected a ${requested} endpoint of service "${type}" in ${where} in the catalog, found ${describe(catalog, endpoints)}; check region_name and interface`,
  )
}

function describe(catalog: readonly CatalogEntry[], endpoints: readonly { interface: string; region_id: string }[]): string {
  if (endpoints.length > 0) return endpoints.map((one) => `${one.interface} in ${one.region_id}`).join(", ")
  return catalog.length === 0 ? "an empty catalog" : `only ${catalog.map((entry) => entry.type).join(", ")}`
}
