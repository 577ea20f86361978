import { hash } from "node:crypto"
import type { ServeOptions } from "@pilothouse/apiserver"
import { createClient } from "@pilothouse/runtime"
import type { Clock, HeaderMap, Transport, TransportResponse } from "@pilothouse/seams"
import { KeptAnswers } from "./kept-answers.ts"

/** Health is for everybody: probes have no credentials. */
const publicPaths = /^\/(healthz|livez|readyz)(\/|$)/

/** What a client has shown beside its headers. */
export type ShownCertificate = Parameters<ServeOptions["transportFor"]>[0]["certificate"]

/** For somebody who has shown this certificate, or none. */
export type Access = (certificate?: ShownCertificate) => Transport

/**
 * Lets nobody see metrics, settings and trace who may not: the API server is asked whose token it is and whether that user may GET the path,
 * as upstream's components do; a certificate of --client-ca-file says itself whose it is. What it said is kept for 10 s, by the token's hash: a token is
 * nothing to keep.
 */
export function delegatedAccess(endpoints: Transport, apiServer: Transport, clock: Clock): Access {
  const users = new KeptAnswers<User | undefined>(clock)
  const rights = new KeptAnswers<boolean>(clock)
  return (certificate) => async (request) => {
    const { path, signal } = request
    if (publicPaths.test(path)) return endpoints(request)
    const token = tokenIn(request.headers)
    const named = typeof certificate === "object" ? certificate : undefined
    const id = named?.fingerprint ?? hash("sha256", token ?? "")
    const ask: Ask = { apiServer, signal }
    const byToken = () => (token === undefined ? undefined : users.of(id, () => userOf(ask, token)))
    const user =
      named === undefined ? await byToken() : { username: named.commonName, groups: [...named.organizations, "system:authenticated"] }
    if (user === undefined) return refused(401, 'a bearer token that the API server knows is needed: "Authorization: Bearer …"')
    if (!(await rights.of(`${id} ${path}`, () => mayGet(ask, user, path))))
      return refused(403, `user "${user.username}" may not get ${path}`)
    return endpoints(request)
  }
}

/** Whom to ask, and for how long somebody waits for it. */
interface Ask {
  readonly apiServer: Transport
  readonly signal: AbortSignal | undefined
}

interface User {
  readonly username: string
  readonly groups?: readonly string[]
}

function tokenIn(headers: HeaderMap): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1]
}

async function userOf(ask: Ask, token: string): Promise<User | undefined> {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } }
  const answer = await post(ask, "/apis/authentication.k8s.io/v1/tokenreviews", review)
  const { status } = answer as { readonly status?: { readonly authenticated?: boolean; readonly user?: User } }
  return status?.authenticated ? status.user : undefined
}

async function mayGet(ask: Ask, { username, groups }: User, path: string): Promise<boolean> {
  const spec = { user: username, groups, nonResourceAttributes: { path, verb: "get" } }
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec }
  const answer = await post(ask, "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
  return (answer as { readonly status?: { readonly allowed?: boolean } }).status?.allowed === true
}

function post({ apiServer, signal }: Ask, path: string, value: unknown): Promise<unknown> {
  return createClient(apiServer, { userAgent: "pilothouse/delegated-access" }).request({
    verb: "POST",
    path,
    body: { type: "value", value },
    signal,
  })
}

function refused(status: number, message: string): TransportResponse {
  const contentType = "text/plain; charset=utf-8"
  const bytes = new TextEncoder().encode(`${message}\n`)
  return { status, headers: { "content-type": contentType }, body: { type: "bytes", bytes, contentType } }
}
