import { timingSafeEqual } from "node:crypto"
import { bootstrapTokenGroups, bootstrapTokenName, bootstrapTokenType, parseBootstrapToken, usableBootstrapToken } from "@pilothouse/api"
import { type Secret, secrets } from "@pilothouse/api/core/v1"
import { authenticatedGroup, type Identity } from "../authentication/identity.ts"
import { readObject } from "../registry/object-key.ts"
import type { Around as TokensAround } from "./bound-objects.ts"
import type { Known, ServiceAccountTokens, TokenRefusal } from "./service-account-tokens.ts"

interface Around extends TokensAround {
  readonly tokens: ReadonlyMap<string, Identity>
  readonly serviceAccountTokens: ServiceAccountTokens | undefined
  readonly bootstrapTokenAuth: boolean
}

/**
 * Returns whose bearer token it is: one from a list, a bootstrap token, or of a service account; why it is not good; undefined for one that no
 * authenticator knows, and for one of other audiences.
 */
export function reviewToken(server: Around, token: string, wanted?: readonly string[]): Known | TokenRefusal | undefined {
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
export function userOfToken(server: Around, token: string): Identity | undefined {
  const known = reviewToken(server, token)
  return known !== undefined && "identity" in known ? known.identity : undefined
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

/** Adds the group of all authenticated users. */
export function authenticated(identity: Identity): Identity {
  if (identity.groups.includes(authenticatedGroup)) return identity
  return { ...identity, groups: [...identity.groups, authenticatedGroup] }
}
