import type { Server } from "../server/server.ts"
import type { Known } from "../tokens/service-account-tokens.ts"
import { authenticatedGroup, type Identity } from "./identity.ts"

type Around = Pick<Server, "tokens" | "serviceAccountTokens">

/** Whose bearer token it is: one from a list, or that of a service account; undefined for one that nobody has, or that is for others. */
export function reviewToken({ tokens, serviceAccountTokens }: Around, token: string, wanted?: readonly string[]): Known | undefined {
  const listed = tokens.get(token)
  if (listed === undefined) return serviceAccountTokens?.verify(token, wanted)
  // A listed token says nothing of audiences: it is good for those of this server.
  const own = serviceAccountTokens?.audiences ?? []
  const audiences = wanted === undefined ? own : own.filter((audience) => wanted.includes(audience))
  if (wanted !== undefined && wanted.length > 0 && audiences.length === 0) return undefined
  return { identity: authenticated(listed), audiences }
}

/** With the group of everybody who is known. */
export function authenticated(identity: Identity): Identity {
  if (identity.groups.includes(authenticatedGroup)) return identity
  return { ...identity, groups: [...identity.groups, authenticatedGroup] }
}
