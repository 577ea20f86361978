import { authenticatedGroup, type Identity } from "../authentication/identity.ts"
import type { Known, ServiceAccountTokens } from "./service-account-tokens.ts"

interface Around {
  readonly tokens: ReadonlyMap<string, Identity>
  readonly serviceAccountTokens: ServiceAccountTokens | undefined
}

/** The user of a bearer token, from the list or of a service account; undefined when it is unknown, invalid or for another audience. */
export function reviewToken({ tokens, serviceAccountTokens }: Around, token: string, wanted?: readonly string[]): Known | undefined {
  const listed = tokens.get(token)
  if (listed === undefined) return serviceAccountTokens?.verify(token, wanted)
  // A listed token says nothing of audiences: it is good for those of this server.
  const own = serviceAccountTokens?.audiences ?? []
  const audiences = wanted === undefined ? own : own.filter((audience) => wanted.includes(audience))
  if (wanted !== undefined && wanted.length > 0 && audiences.length === 0) return undefined
  return { identity: authenticated(listed), audiences }
}

/** Adds the group of all authenticated users. */
export function authenticated(identity: Identity): Identity {
  if (identity.groups.includes(authenticatedGroup)) return identity
  return { ...identity, groups: [...identity.groups, authenticatedGroup] }
}
