import type { Secret } from "@pilothouse/api/core/v1"
import type { Random } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import { type Around, type Bound, boundFault, leeway } from "./bound-objects.ts"
import { type Claims, decodedPart, Jwt, type SigningKeys } from "./jwt.ts"
import { lastUsedPatch, legacyIssuer, legacyToken, markedInvalid } from "./legacy-token.ts"
import type { Key } from "./signing-key.ts"

/** How tokens of ServiceAccounts are issued and verified. */
export interface ServiceAccountOptions extends SigningKeys {
  /** The name that tokens are signed under; it is the audience too, where a request names none. */
  readonly issuer: string
  /** Issuers whose tokens are good here as well: names that this server had before. */
  readonly issuers?: readonly string[]
  /** The audiences of which a token must have one to be good here, and has all where a request names none; the issuer by default. */
  readonly audiences?: readonly string[]
  /** Whether the token of a pod that is requested for 3607 s lasts for a year, as --service-account-extend-token-expiration; so by default. */
  readonly extendExpiration?: boolean
  /** The longest life of a requested token, in seconds; unlimited by default. */
  readonly maxSeconds?: number
}

/** The keys are asked for when the first token is. */
export type LazyServiceAccountOptions = Omit<ServiceAccountOptions, keyof SigningKeys> & { readonly keys: () => SigningKeys }

export interface Issued {
  readonly token: string
  /** The identifier of the token. */
  readonly id: string
}

/** A user, and for which of the requested audiences the token is. */
export interface Known {
  readonly identity: Identity
  readonly audiences: readonly string[]
}

/** Why a token of ours is not good, in upstream's words. */
export interface TokenRefusal {
  readonly refused: string
}

export interface TokensAround extends Around {
  readonly random: Random
  /** Changes the Secret of a legacy token that was used, in the background. */
  readonly noteUse?: (secret: Secret, patch: object) => void
}

/** The tokens of service accounts: nothing is stored; one holds as long as its time and the objects that it is bound to. */
export class ServiceAccountTokens {
  readonly issuer: string
  /** The audiences of a token whose request names none. */
  readonly audiences: readonly string[]
  readonly extendExpiration: boolean
  readonly maxSeconds: number
  readonly #issuers: readonly unknown[]
  readonly #jwt: Jwt
  readonly #around: TokensAround

  constructor(options: ServiceAccountOptions | LazyServiceAccountOptions, around: TokensAround) {
    this.issuer = options.issuer
    this.audiences = options.audiences ?? [options.issuer]
    this.extendExpiration = options.extendExpiration ?? true
    this.maxSeconds = options.maxSeconds ?? Number.POSITIVE_INFINITY
    this.#issuers = [options.issuer, ...(options.issuers ?? []), legacyIssuer]
    this.#jwt = new Jwt("keys" in options ? options.keys : options)
    this.#around = around
  }

  /** The keys that tokens are verified with. */
  get keys(): readonly Key[] {
    return this.#jwt.trusted
  }

  issue(bound: Bound, audiences: readonly string[], seconds: number): Issued {
    const { clock, random } = this.#around
    const iat = Math.floor(clock.now() / 1000)
    const { namespace, serviceaccount } = bound
    const id = random.uuid()
    const token = this.#jwt.sign({
      aud: audiences,
      exp: iat + seconds,
      iat,
      iss: this.issuer,
      jti: id,
      "kubernetes.io": bound,
      nbf: iat,
      sub: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    })
    return { token, id }
  }

  /** Returns whose token it is, or why it is not good; undefined for one of another issuer. */
  verify(token: string, wanted: readonly string[] = this.audiences): Known | TokenRefusal | undefined {
    if (!this.#issuers.includes(decodedPart(token.split(".")[1] ?? "")?.iss)) return undefined
    const claims = this.#jwt.verify(token)
    if (claims === undefined) return { refused: "go-jose/go-jose: error in cryptographic primitive" }
    // The token of a Secret has no audiences of its own.
    const own = Array.isArray(claims.aud) && claims.aud.length > 0 ? (claims.aud as readonly string[]) : this.audiences
    const audiences = wanted.filter((one) => own.includes(one))
    if (audiences.length === 0) return { refused: `token audiences ${listed(own)} is invalid for the target audiences ${listed(wanted)}` }
    const identity = claims.iss === legacyIssuer ? this.#legacyIdentity(token, claims) : this.#boundIdentity(claims)
    return typeof identity === "string" ? { refused: identity } : { identity, audiences }
  }

  #boundIdentity(claims: Claims): Identity | string {
    const bound = claims["kubernetes.io"] as Bound | undefined
    const fault = timeFault(claims, this.#around.clock.now())
    if (fault !== undefined) return fault
    if (bound?.serviceaccount === undefined) return 'serviceaccounts "" not found'
    return boundFault(bound, this.#around) ?? identityOf(bound, String(claims.jti))
  }

  #legacyIdentity(token: string, claims: Claims): Identity | string {
    const { clock, noteUse } = this.#around
    const found = legacyToken(token, claims, this.#around)
    if (typeof found === "string") return found
    const patch = lastUsedPatch(found.secret, clock.now())
    if (patch !== undefined) noteUse?.(found.secret, patch)
    return markedInvalid(found) ?? identityOf(found)
  }
}

function timeFault({ nbf, exp, iat }: Claims, now: number): string | undefined {
  const after = (seconds: unknown) => Number(seconds) * 1000
  if (nbf !== undefined && now + leeway < after(nbf)) return "service account token is not valid yet"
  if (exp === undefined || now - leeway > after(exp)) return "service account token has expired"
  if (iat !== undefined && now + leeway < after(iat)) return "service account token is issued in the future"
  return undefined
}

/** As Go prints a list of texts with %q. */
function listed(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`
}

function identityOf(
  { namespace, serviceaccount, pod, node }: Pick<Bound, "namespace" | "serviceaccount" | "pod" | "node">,
  id?: string,
): Identity {
  const prefix = "authentication.kubernetes.io"
  const account: Identity = {
    name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    uid: serviceaccount.uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  }
  if (id === undefined) return account
  return {
    ...account,
    extra: {
      [`${prefix}/credential-id`]: [`JTI=${id}`],
      ...(node && { [`${prefix}/node-name`]: [node.name] }),
      ...(node?.uid !== undefined && { [`${prefix}/node-uid`]: [node.uid] }),
      ...(pod?.uid !== undefined && { [`${prefix}/pod-name`]: [pod.name], [`${prefix}/pod-uid`]: [pod.uid] }),
    },
  }
}
