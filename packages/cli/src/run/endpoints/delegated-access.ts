import { hash } from "node:crypto"
import type { ServeOptions } from "@pilothouse/apiserver"
import type { Clock, HeaderMap, Transport, TransportResponse } from "@pilothouse/seams"
import { Reviews } from "./reviews.ts"

/** Health is public: probes have no credentials. */
const publicPaths = /^\/(healthz|livez|readyz)(\/|$)/

/** What a client has shown beside its headers. */
export type ShownCertificate = Parameters<ServeOptions["transportFor"]>[0]["certificate"]

/** For a client that has shown this certificate, or none. */
export type Access = (certificate?: ShownCertificate) => Transport

/**
 * Protects metrics, settings and trace: the API server is asked whose token it is and whether that user may GET the path,
 * as upstream's components do; a certificate of --client-ca-file says itself whose it is. A token is for the API server, as Prometheus shows one, or
 * for debug ports, as `explain` does; one for any other audience is refused. What was said is kept for 10 s, by the token's hash: a token is nothing
 * to keep. Clients that are not known cannot make it ask the API server more often than `Reviews` allows.
 */
export function delegatedAccess(endpoints: Transport, apiServer: Transport, clock: Clock): Access {
  const reviews = new Reviews(apiServer, clock)
  return (certificate) => async (request) => {
    const { path, signal } = request
    if (publicPaths.test(path)) return endpoints(request)
    const named = typeof certificate === "object" ? certificate : undefined
    const shown = named === undefined ? tokenIn(request.headers) : undefined
    const id = named?.fingerprint ?? hash("sha256", shown ?? "")
    const user =
      named === undefined
        ? shown && (await reviews.userOf(shown, id, signal))
        : { username: named.commonName, groups: [...named.organizations, "system:authenticated"] }
    if (user === "busy") return busy()
    if (!user) return refused(401, 'a bearer token that the API server knows is needed: "Authorization: Bearer …"')
    const may = await reviews.mayGet(user, id, path, signal)
    if (may === "busy") return busy()
    return may ? endpoints(request) : refused(403, `user "${user.username}" may not get ${path}`)
  }
}

/** Characters of a token that an API server is asked about. One of a service account has about 1,000, one of an identity provider with many groups some thousands. */
export const maxToken = 16_384

function tokenIn(headers: HeaderMap): string | undefined {
  const { authorization = "" } = headers
  return authorization.length > maxToken ? undefined : /^bearer +(\S+)$/i.exec(authorization)?.[1]
}

function refused(status: number, message: string): TransportResponse {
  const contentType = "text/plain; charset=utf-8"
  const bytes = new TextEncoder().encode(`${message}\n`)
  return { status, headers: { "content-type": contentType }, body: { type: "bytes", bytes, contentType } }
}

function busy(): TransportResponse {
  const response = refused(429, "the API server is asked about as many clients as it may be; try again in a second")
  return { ...response, headers: { ...response.headers, "retry-after": "1" } }
}
