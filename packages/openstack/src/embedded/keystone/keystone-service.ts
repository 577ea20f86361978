import type { Clock, Random } from "@pilothouse/seams"
import type { EmbeddedKnobs } from "../rest/knobs.ts"
import { unauthorized } from "../rest/problem.ts"
import type { Routes } from "../rest/routes.ts"
import { keystoneVersions } from "../rest/versions.ts"

/** A user that the embedded Keystone knows from its start. */
export interface Account {
  readonly id: string
  readonly name: string
  readonly password: string
  /** The projects it may use, by name. */
  readonly projects: readonly string[]
  readonly roles: readonly string[]
  /** Made for it beforehand. */
  readonly applicationCredential?: { readonly id: string; readonly secret: string; readonly project: string }
}

interface IssuedToken {
  readonly user: Account
  readonly project: string | undefined
  readonly expires: number
}

interface AuthRequest {
  readonly auth?: {
    readonly identity?: {
      readonly methods?: readonly string[]
      readonly password?: { readonly user?: { readonly id?: string; readonly name?: string; readonly password?: string } }
      readonly token?: { readonly id?: string }
      readonly application_credential?: { readonly id?: string; readonly secret?: string }
    }
    readonly scope?: { readonly project?: { readonly id?: string; readonly name?: string } }
  }
}

type IdentityPart = NonNullable<AuthRequest["auth"]>["identity"]

const region = "RegionOne"

/** Clients request a token an hour; the oldest is removed as if it had been revoked, and its client requests another. */
const maxTokens = 10_000

/**
 * Tokens and their users. Invariant: a token that `project` knows has not expired and was not revoked; at most 10,000 are kept, and when one is
 * issued those that expired before the oldest valid one are gone.
 */
export class KeystoneService {
  readonly accounts = new Map<string, Account>()
  /** Name → id. */
  readonly projects = new Map<string, string>()
  readonly #tokens = new Map<string, IssuedToken>()
  readonly #clock: Clock
  readonly #random: Random
  readonly #knobs: EmbeddedKnobs
  readonly #addresses: Readonly<Record<string, string>>

  /** `addresses`: service type → address, for the catalog. */
  constructor(around: { clock: Clock; random: Random; knobs: EmbeddedKnobs }, addresses: Readonly<Record<string, string>>) {
    this.#clock = around.clock
    this.#random = around.random
    this.#knobs = around.knobs
    this.#addresses = addresses
  }

  /** The project of a token. Throws 401 for one that is not known. */
  tokenProject(token: string | undefined): string {
    return this.#known(token).project ?? ""
  }

  hasToken(token: string | undefined): boolean {
    return this.#find(token) !== undefined
  }

  /** How many tokens are kept. */
  get tokenCount(): number {
    return this.#tokens.size
  }

  /** As an operator would, all at once: every client has to request a new one. */
  revokeTokens(): void {
    this.#tokens.clear()
  }

  routes(): Routes {
    return { ...keystoneVersions, "POST /v3/auth/tokens": ({ body }) => this.#issue(body as AuthRequest) }
  }

  #issue({ auth }: AuthRequest) {
    const { user, project: bound } = this.#identified(auth?.identity)
    const project = bound ?? this.#scope(user, auth?.scope?.project)
    const now = this.#clock.now()
    const expires = now + this.#knobs.tokenLife
    const text = `token-${this.#random.uuid()}`
    this.#forget(now)
    this.#tokens.set(text, { user, project, expires })
    return { status: 201, headers: { "x-subject-token": text }, value: { token: this.#body(user, project, now, expires) } }
  }

  /** In the order of issue, which is that of expiry while `tokenLife` stays the same: each token is looked at once in its life. */
  #forget(now: number): void {
    for (const [text, { expires }] of this.#tokens) {
      if (expires > now && this.#tokens.size < maxTokens) return
      this.#tokens.delete(text)
    }
  }

  #identified(identity: IdentityPart): { readonly user: Account; readonly project?: string } {
    const [method] = identity?.methods ?? []
    if (method === "token") return { user: this.#known(identity?.token?.id).user }
    if (method === "application_credential") return this.#byCredential(identity?.application_credential)
    const requested = identity?.password?.user
    const user = [...this.accounts.values()].find(({ id, name }) => id === requested?.id || name === requested?.name)
    if (user === undefined || user.password !== requested?.password) throw unauthorized()
    return { user }
  }

  #byCredential(requested: { readonly id?: string; readonly secret?: string } | undefined): {
    readonly user: Account
    readonly project: string
  } {
    const user = [...this.accounts.values()].find(
      ({ applicationCredential: own }) => own?.id === requested?.id && own?.secret === requested?.secret,
    )
    const project = this.projects.get(user?.applicationCredential?.project ?? "")
    if (user === undefined || project === undefined) throw unauthorized()
    return { user, project }
  }

  #known(token: string | undefined): IssuedToken {
    const found = this.#find(token)
    if (found === undefined) throw unauthorized()
    return found
  }

  #find(token: string | undefined): IssuedToken | undefined {
    const found = this.#tokens.get(token ?? "")
    return found === undefined || found.expires <= this.#clock.now() ? undefined : found
  }

  #scope(user: Account, requested: { readonly id?: string; readonly name?: string } | undefined): string | undefined {
    if (requested === undefined) return undefined
    const found = [...this.projects].find(([name, id]) => (name === requested.name || id === requested.id) && user.projects.includes(name))
    if (found === undefined) throw unauthorized()
    return found[1]
  }

  #body(user: Account, project: string | undefined, now: number, expires: number) {
    const name = [...this.projects].find(([, id]) => id === project)?.[0]
    const stamp = (time: number) => new Date(time).toISOString().replace("Z", "000Z")
    const catalog = Object.entries(this.#addresses).map(([type, url]) => ({
      id: type,
      type,
      name: type,
      endpoints: ["public", "internal", "admin"].map((from) => ({
        id: `${type}-${from}`,
        interface: from,
        region,
        region_id: region,
        url,
      })),
    }))
    const domain = { id: "default", name: "Default" }
    const roles = user.roles.map((role) => ({ id: role, name: role }))
    const about = { methods: ["password"], user: { id: user.id, name: user.name, domain }, roles, is_domain: false }
    const scoped = project === undefined ? {} : { project: { id: project, name, domain }, catalog }
    return { ...about, ...scoped, issued_at: stamp(now), expires_at: stamp(expires) }
  }
}
