import { timingSafeEqual } from "node:crypto"
import { type Descriptor, type KubeObject, parseTime } from "@pilothouse/api"
import { nodes, pods, type Secret, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import type { Clock, Random } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import { objectKey, readObject } from "../registry/object-key.ts"
import type { Registry } from "../registry/registry.ts"
import type { Storage } from "../storage/storage.ts"
import { type Claims, Jwt, type SigningKeys } from "./jwt.ts"
import type { Key } from "./signing-key.ts"

/** Milliseconds for which the tokens of an object that is being deleted are still good. */
const deletionLeeway = 60_000

export interface ServiceAccountOptions extends SigningKeys {
  /** Who signs; it is the audience too, where a request names none. */
  readonly issuer: string
  /** Issuers whose tokens are good here as well: names that this server had before. */
  readonly issuers?: readonly string[]
  /** The audiences that a token must name one of to be valid here, and that a token without requested audiences gets; the issuer by default. */
  readonly audiences?: readonly string[]
}

/** The keys are asked for when the first token is. */
export type LazyServiceAccountOptions = Omit<ServiceAccountOptions, keyof SigningKeys> & { readonly keys: () => SigningKeys }

interface Reference {
  readonly name: string
  readonly uid: string
}

/** The claim "kubernetes.io": whom a token is for, and what it lives and dies with. */
export interface Bound {
  readonly namespace: string
  readonly serviceaccount: Reference
  readonly pod?: Reference
  readonly secret?: Reference
  readonly node?: Reference
}

export interface Issued {
  readonly token: string
  /** Milliseconds. */
  readonly expires: number
}

export interface Known {
  readonly identity: Identity
  /** Of those that were asked for, the ones the token is for. */
  readonly audiences: readonly string[]
}

interface Around {
  readonly clock: Clock
  readonly random: Random
  readonly storage: Storage
  readonly registry: Registry
}

/** Tokens of service accounts: nothing is stored; one holds as long as its time and what it is bound to. */
export class ServiceAccountTokens {
  readonly issuer: string
  /** The audiences of a token whose request names none. */
  readonly audiences: readonly string[]
  readonly #issuers: readonly unknown[]
  readonly #jwt: Jwt
  readonly #around: Around

  constructor(options: ServiceAccountOptions | LazyServiceAccountOptions, around: Around) {
    this.issuer = options.issuer
    this.audiences = options.audiences ?? [options.issuer]
    this.#issuers = [options.issuer, ...(options.issuers ?? [])]
    this.#jwt = new Jwt("keys" in options ? options.keys : options)
    this.#around = around
  }

  /** What tokens are checked with. */
  get keys(): readonly Key[] {
    return this.#jwt.trusted
  }

  issue(bound: Bound, audiences: readonly string[], seconds: number): Issued {
    const { clock, random } = this.#around
    const iat = Math.floor(clock.now() / 1000)
    const { namespace, serviceaccount } = bound
    const token = this.#jwt.sign({
      aud: audiences,
      exp: iat + seconds,
      iat,
      iss: this.issuer,
      jti: random.uuid(),
      "kubernetes.io": bound,
      nbf: iat,
      sub: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    })
    return { token, expires: (iat + seconds) * 1000 }
  }

  /** Whose token it is; undefined for one that is not ours, is over, is for others, or whose account or object is gone. */
  verify(token: string, wanted: readonly string[] = this.audiences): Known | undefined {
    const claims = this.#jwt.verify(token)
    if (claims?.iss === legacyIssuer) return this.#verifyLegacy(token, claims, wanted)
    if (claims === undefined || !this.#issuers.includes(claims.iss) || !this.#isNow(claims.nbf, claims.exp)) return undefined
    const audiences = Array.isArray(claims.aud) ? wanted.filter((one) => (claims.aud as readonly unknown[]).includes(one)) : []
    const bound = claims["kubernetes.io"] as Bound | undefined
    if (audiences.length === 0 || bound === undefined || !this.#lives(bound)) return undefined
    return { identity: identityOf(bound, String(claims.jti)), audiences }
  }

  /** The token of a Secret has no end and no audience of its own: it holds while Secret and account are there and the Secret holds this token. */
  #verifyLegacy(token: string, claims: Claims, wanted: readonly string[]): Known | undefined {
    const account = legacyAccountOf(claims)
    const audiences = wanted.filter((one) => this.audiences.includes(one))
    if (account === undefined || audiences.length === 0) return undefined
    const { namespace, secret, serviceaccount } = account
    const { storage, registry } = this.#around
    const holder: Secret | undefined = readObject(storage, registry.of(secrets), namespace, secret)
    if (holder === undefined || !holdsToken(holder, token) || !this.#isThere(serviceAccounts, namespace, serviceaccount)) return undefined
    return { identity: identityOf({ namespace, serviceaccount }), audiences }
  }

  #isNow(from: unknown, to: unknown): boolean {
    const now = this.#around.clock.now() / 1000
    return Number(from) <= now && now < Number(to)
  }

  #lives({ namespace, serviceaccount, pod, secret, node }: Bound): boolean {
    return (
      this.#isThere(serviceAccounts, namespace, serviceaccount) &&
      (pod === undefined || this.#isThere(pods, namespace, pod)) &&
      (secret === undefined || this.#isThere(secrets, namespace, secret)) &&
      // A pod's token also says on which node it is; that one may go before the pod does.
      (node === undefined || pod !== undefined || this.#isThere(nodes, undefined, node))
    )
  }

  #isThere<T extends KubeObject>(descriptor: Descriptor<T>, namespace: string | undefined, { name, uid }: Reference): boolean {
    const { storage, registry, clock } = this.#around
    const metadata = storage.get(objectKey(registry.of(descriptor), namespace, name))?.value.metadata
    // What is being deleted still ends its work, for a minute.
    const until = metadata?.deletionTimestamp === undefined ? undefined : parseTime(metadata.deletionTimestamp) + deletionLeeway
    return metadata?.uid === uid && (until === undefined || clock.now() <= until)
  }
}

function identityOf({ namespace, serviceaccount, pod, node }: Bound, id?: string): Identity {
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
      ...(node && { [`${prefix}/node-name`]: [node.name], [`${prefix}/node-uid`]: [node.uid] }),
      ...(pod && { [`${prefix}/pod-name`]: [pod.name], [`${prefix}/pod-uid`]: [pod.uid] }),
    },
  }
}

/** Who signed the tokens that the controller manager puts into Secrets. */
const legacyIssuer = "kubernetes/serviceaccount"

const type = "kubernetes.io/service-account-token"
const invalidSince = "kubernetes.io/legacy-token-invalid-since"

interface LegacyAccount {
  readonly namespace: string
  /** The Secret that holds the token. */
  readonly secret: string
  readonly serviceaccount: { readonly name: string; readonly uid: string }
}

function legacyAccountOf(claims: Claims): LegacyAccount | undefined {
  const text = (name: string) => {
    const value = claims[`kubernetes.io/serviceaccount/${name}`]
    return typeof value === "string" ? value : ""
  }
  const [namespace, secret, name, uid] = [text("namespace"), text("secret.name"), text("service-account.name"), text("service-account.uid")]
  if ([namespace, secret, name, uid].includes("") || claims.sub !== `system:serviceaccount:${namespace}:${name}`) return undefined
  return { namespace, secret, serviceaccount: { name, uid } }
}

/** Whether a Secret is one of tokens, is not on its way out, and holds this very token. */
function holdsToken({ metadata, type: found, data }: Secret, token: string): boolean {
  if (found !== type || metadata.deletionTimestamp !== undefined || metadata.labels?.[invalidSince] !== undefined) return false
  const [held, given] = [Buffer.from(data?.token ?? "", "base64"), Buffer.from(token)]
  return held.length === given.length && timingSafeEqual(held, given)
}
