import { type StatusError, unauthorized } from "@pilothouse/api"
import type { HeaderMap, Transport } from "@pilothouse/seams"
import { anonymous, authenticatedGroup, type Identity, privilegedGroup } from "../authentication/identity.ts"
import { publicPaths } from "../authorization/fixed-authorizers.ts"
import type { EdgeTransport, RequestHead } from "../server/edge-transport.ts"
import { authenticated } from "../tokens/review-token.ts"
import type { Peer } from "./request/peer.ts"

/** Says who a peer is, or refuses it. Without a promise where no other server has to be asked. */
export type Authenticator = (
  headers: HeaderMap,
  certificate: Peer["certificate"],
) => Identity | StatusError | Promise<Identity | StatusError>

/** How the users of requests are authenticated. */
export interface AuthenticationOptions {
  /** Who has which bearer token. */
  readonly tokens?: ReadonlyMap<string, Identity>
  /** Other kinds of bearer tokens (those of service accounts); undefined where it does not know the token. */
  readonly tokenReview?: (token: string) => Identity | undefined | Promise<Identity | undefined>
  /** Whether a request without credentials is accepted as anonymous, for health and version; true by default. */
  readonly anonymousAuth?: boolean
}

/** The extra key that names the credential of a request, for logs and reviews. */
const credentialId = "authentication.kubernetes.io/credential-id"

/**
 * Returns what authenticates each request (upstream's WithAuthentication), in upstream's order: certificate, then token. Without either the peer is
 * anonymous; a wrong one is refused, never taken for none.
 */
export function authenticator(options: AuthenticationOptions = {}): Authenticator {
  return (headers, certificate) => {
    // A certificate without a common name names no user: it counts as absent.
    if (certificate !== undefined && certificate !== "untrusted" && certificate.commonName !== "") {
      const extra = { [credentialId]: [`X509SHA256=${certificate.fingerprint}`] }
      return { name: certificate.commonName, groups: [...certificate.organizations, authenticatedGroup], extra }
    }
    const token = bearerToken(headers.authorization)
    if (token !== undefined) return byToken(token, options)
    return certificate === "untrusted" || options.anonymousAuth === false ? unauthorized() : anonymous
  }
}

function byToken(token: string, { tokens, tokenReview }: AuthenticationOptions): ReturnType<Authenticator> {
  const known = tokens?.get(token)
  if (known !== undefined) return authenticated(known)
  const reviewed = tokenReview?.(token)
  return reviewed instanceof Promise ? reviewed.then((user) => user ?? unauthorized()) : (reviewed ?? unauthorized())
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization?.trim() ?? "")?.[1]
}

/** How many identities keep their transport; a cluster has some hundreds of service accounts. */
const transportLimit = 1000

export interface AuthenticatedTransportsOptions {
  /** Leaves the requests of anonymous clients to the authorizer. By default they read what is public, and are refused everything else here. */
  readonly authorizesAnonymous?: boolean
}

/** The `transportFor` of an HTTPS server: one transport per identity, made when it first comes. Throws for a client that is not authenticated. */
export function authenticatedTransports(
  authenticate: Authenticator,
  transport: (identity: Identity) => EdgeTransport,
  { authorizesAnonymous = false }: AuthenticatedTransportsOptions = {},
) {
  const transports = new Map<string, EdgeTransport>()
  const transportOf = (who: Identity | StatusError, { verb, path }: Pick<RequestHead, "verb" | "path">): EdgeTransport => {
    if (who instanceof Error) throw who
    if (who === anonymous && !authorizesAnonymous && !(verb === "GET" && publicPaths.test(path))) throw unauthorized()
    const key = JSON.stringify([who.name, who.uid, who.groups, who.extra])
    const known = transports.get(key)
    if (known) return known
    if (transports.size >= transportLimit) transports.clear()
    const inner = transport(who)
    const made: EdgeTransport = who.groups.includes(privilegedGroup) ? privileged(inner) : inner
    transports.set(key, made)
    return made
  }
  return ({ headers, certificate }: Peer, head: Pick<RequestHead, "verb" | "path">): EdgeTransport | Promise<EdgeTransport> => {
    const who = authenticate(headers, certificate)
    return who instanceof Promise ? who.then((found) => transportOf(found, head)) : transportOf(who, head)
  }
}

/** A function of its own: the one that was given may be that of others too. */
function privileged(transport: EdgeTransport): EdgeTransport {
  const authorize = transport.authorize?.bind(transport)
  return Object.assign<Transport, Partial<EdgeTransport>>((request) => transport(request), {
    isPrivileged: true,
    ...(authorize && { authorize }),
  })
}
