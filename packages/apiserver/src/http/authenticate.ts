import { type StatusError, unauthorized } from "@pilothouse/api"
import type { HeaderMap, Transport } from "@pilothouse/seams"
import { authenticated } from "../authentication/review-token.ts"
import { publicPaths } from "../authorization/allow-authenticated.ts"
import { anonymous, authenticatedGroup, type Identity } from "../identity.ts"
import type { Peer } from "./peer.ts"
import { failureResponse } from "./status.ts"

/** Says who a peer is, or refuses it. */
export type Authenticator = (headers: HeaderMap, certificate: Peer["certificate"]) => Identity | StatusError

export interface AuthenticationOptions {
  /** Who has which bearer token. */
  readonly tokens?: ReadonlyMap<string, Identity>
  /** Other kinds of bearer tokens (those of service accounts); undefined where it does not know the token. */
  readonly tokenReview?: (token: string) => Identity | undefined
}

/** Upstream's order: certificate, then token. Without either the peer is anonymous; a wrong one is refused, never taken for none. */
export function authenticator(options: AuthenticationOptions = {}): Authenticator {
  return (headers, certificate) => {
    if (certificate !== undefined && certificate !== "untrusted") {
      return { name: certificate.commonName, groups: [...certificate.organizations, authenticatedGroup] }
    }
    const token = bearerToken(headers.authorization)
    if (token !== undefined) return byToken(token, options) ?? unauthorized()
    return certificate === "untrusted" ? unauthorized() : anonymous
  }
}

function byToken(token: string, { tokens, tokenReview }: AuthenticationOptions): Identity | undefined {
  const known = tokens?.get(token)
  return known === undefined ? tokenReview?.(token) : authenticated(known)
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization?.trim() ?? "")?.[1]
}

/** How many identities keep their transport; a cluster has some hundreds of service accounts. */
const transportLimit = 1000

/** The `transportFor` of an HTTPS server: one transport per identity, made when it first comes. */
export function authenticatedTransports(
  authenticate: Authenticator,
  transport: (identity: Identity) => Transport,
): (peer: Peer) => Transport {
  const transports = new Map<string, Transport>()
  return ({ headers, certificate }) => {
    const who = authenticate(headers, certificate)
    if (who instanceof Error) return async () => failureResponse(who)
    const key = JSON.stringify([who.name, who.uid, who.groups, who.extra])
    const known = transports.get(key)
    if (known) return known
    if (transports.size >= transportLimit) transports.clear()
    const made = who === anonymous ? publicOnly(transport(who)) : transport(who)
    transports.set(key, made)
    return made
  }
}

/** Health and version are for everybody. */
function publicOnly(inner: Transport): Transport {
  return async (request) => {
    if (request.verb === "GET" && publicPaths.test(request.path)) return inner(request)
    return failureResponse(unauthorized())
  }
}
