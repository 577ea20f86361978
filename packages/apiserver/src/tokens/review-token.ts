import { timingSafeEqual } from "node:crypto"
import { bootstrapTokenGroups, bootstrapTokenName, bootstrapTokenType, parseBootstrapToken, usableBootstrapToken } from "@pilothouse/api"
import { type Secret, secrets } from "@pilothouse/api/core/v1"
import { anonymous, authenticatedGroup, type Identity } from "../authentication/identity.ts"
import { readObject } from "../registry/object-key.ts"
import type { Around as TokensAround } from "./bound-objects.ts"
import type { ServiceAccountTokens } from "./service-account-tokens.ts"
import type { TokenAnswer, TokenWebhook } from "./token-webhook.ts"

interface Around extends TokensAround {
  readonly tokens: ReadonlyMap<string, Identity>
  readonly serviceAccountTokens: ServiceAccountTokens | undefined
  readonly bootstrapTokenAuth: boolean
  /** Is asked about tokens that are good for none of the others. */
  readonly tokenWebhook: TokenWebhook | undefined
}

/**
 * Returns whose bearer token it is: one from a list, a bootstrap token, of a service account, or what a webhook says; why it is not good; undefined
 * for one that no authenticator knows, and for one of other audiences. Without a promise where no webhook has to be called.
 */
export function reviewToken(server: Around, token: string, wanted?: readonly string[]): TokenAnswer | Promise<TokenAnswer> {
  const own = ownAnswer(server, token, wanted)
  const { tokenWebhook, serviceAccountTokens } = server
  if (tokenWebhook === undefined || (own !== undefined && "identity" in own)) return own
  const asked = tokenWebhook.review(token, wanted ?? serviceAccountTokens?.audiences ?? [])
  return asked instanceof Promise ? asked.then((answer) => joined(own, answer)) : joined(own, asked)
}

/** What another server says of a token that is good for none of ours. */
function joined(own: Exclude<TokenAnswer, { identity: Identity }>, answer: TokenAnswer): TokenAnswer {
  if (answer !== undefined && "identity" in answer) return { ...answer, identity: authenticated(answer.identity) }
  const reasons = [own, answer].flatMap((one) => (one === undefined ? [] : [one.refused]))
  return reasons.length === 0 ? undefined : { refused: [...new Set(reasons)].join(", ") }
}

function ownAnswer(server: Around, token: string, wanted: readonly string[] | undefined): TokenAnswer {
  const { tokens, serviceAccountTokens } = server
  const known = tokens.get(token) ?? bootstrapIdentity(server, token)
  if (known === undefined) return serviceAccountTokens?.verify(token, wanted)
  // Such a token says nothing of audiences: it is good for those of this server.
  const own = serviceAccountTokens?.audiences ?? []
  const audiences = wanted === undefined ? own : own.filter((audience) => wanted.includes(audience))
  if (wanted !== undefined && wanted.length > 0 && audiences.length === 0) return undefined
  return { identity: authenticated(known), audiences }
}

/** Returns the user of a bearer token; undefined where it is not good. */
export function userOfToken(server: Around, token: string): Identity | undefined | Promise<Identity | undefined> {
  const answer = reviewToken(server, token)
  return answer instanceof Promise ? answer.then(identityIn) : identityIn(answer)
}

function identityIn(answer: TokenAnswer): Identity | undefined {
  return answer !== undefined && "identity" in answer ? answer.identity : undefined
}

/** Returns the user of a bootstrap token, `system:bootstrap:abcdef`, which joins a node. Its Secret in kube-system says whether the token is good. */
function bootstrapIdentity({ bootstrapTokenAuth, storage, registry, clock }: Around, token: string): Identity | undefined {
  const given = bootstrapTokenAuth ? parseBootstrapToken(token) : undefined
  if (given === undefined) return undefined
  const secret: Secret | undefined = readObject(storage, registry.of(secrets), "kube-system", bootstrapTokenName(given.id))
  if (secret?.type !== bootstrapTokenType || secret.metadata.deletionTimestamp !== undefined) return undefined
  const usable = usableBootstrapToken(secret, "usage-bootstrap-authentication", clock.now())
  const groups = bootstrapTokenGroups(secret)
  if (usable === undefined || groups === undefined || !isSameSecret(usable.secret, given.secret)) return undefined
  return { name: `system:bootstrap:${given.id}`, groups }
}

function isSameSecret(one: string, other: string): boolean {
  const [kept, given] = [Buffer.from(one), Buffer.from(other)]
  return kept.length === given.length && timingSafeEqual(kept, given)
}

/** Adds the group of all authenticated users, but to those that are said to be unauthenticated. */
export function authenticated(identity: Identity): Identity {
  const { name, groups } = identity
  if (name === anonymous.name || groups.includes(authenticatedGroup) || groups.includes(anonymous.groups[0]!)) return identity
  return { ...identity, groups: [...identity.groups, authenticatedGroup] }
}
