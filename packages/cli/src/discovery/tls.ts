import { tokenReviews } from "@pilothouse/api/authentication/v1"
import type { Credentials, ServeXdsOptions, TlsPair } from "@pilothouse/discovery"
import type { Client } from "@pilothouse/runtime"
import { type Clock, type Files, messageOf, PilothouseError, TokenBucket } from "@pilothouse/seams"
import { pemOf } from "../certificates/pem-files.ts"
import { maxToken } from "../run/endpoints/delegated-access.ts"

export interface TlsFlags {
  readonly tlsCertFile?: string
  readonly tlsPrivateKeyFile?: string
  readonly clientCaFile?: string
  /** Whom a token must be meant for. */
  readonly tokenAudience?: readonly string[]
}

/**
 * Per second in the long run, and at once: clients that are not known cannot make it ask the API servers without end. All of a mesh may come
 * together.
 */
const reviews = { perSecond: 100, burst: 1000 }

/**
 * Returns the TLS settings by which clients are authenticated: by a certificate where there is an authority for them, otherwise by a token that one
 * of the clusters knows.
 */
export function xdsTls(flags: TlsFlags, files: Files, clusters: readonly Client[], clock: Clock): ServeXdsOptions["tls"] {
  const pair = tlsPair(flags, files)
  if (pair === undefined) return undefined
  const { tokenAudience } = flags
  const limit = new TokenBucket(clock, reviews)
  const authenticate = async ({ token }: Credentials) => {
    if (token === undefined) return "expected a bearer token of a service account, found none"
    if (token.length > maxToken) return `expected a bearer token of at most ${maxToken} characters, found a longer one`
    if (limit.tryTake()) return reviewToken(clusters, token, tokenAudience)
    throw new PilothouseError("CONNECTION_LOST", "the API server is asked about as many clients as it may be")
  }
  return {
    ...pair,
    // The TLS library has refused every certificate of another authority before.
    authenticate: pair.clientAuthority === undefined ? authenticate : async () => undefined,
  }
}

/** Reads the certificate and key files as they are now; undefined where no flag names one. */
export function tlsPair({ tlsCertFile, tlsPrivateKeyFile, clientCaFile }: TlsFlags, files: Files): TlsPair | undefined {
  if (tlsCertFile === undefined && tlsPrivateKeyFile === undefined) {
    if (clientCaFile === undefined) return undefined
    throw new PilothouseError(
      "USAGE",
      "expected --tls-cert-file and --tls-private-key-file with --client-ca-file, found neither; certificates need TLS",
    )
  }
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined)
    throw new PilothouseError("USAGE", "expected --tls-cert-file and --tls-private-key-file together, found one of them")
  return {
    certificate: pemOf(files, "--tls-cert-file", tlsCertFile),
    key: pemOf(files, "--tls-private-key-file", tlsPrivateKeyFile),
    ...(clientCaFile === undefined ? {} : { clientAuthority: pemOf(files, "--client-ca-file", clientCaFile) }),
  }
}

/** Why a token is not good; undefined where one of the clusters knows it. Fails where a cluster that might could not be asked: that is no "no". */
async function reviewToken(
  clusters: readonly Client[],
  token: string,
  audiences: readonly string[] | undefined,
): Promise<string | undefined> {
  const answers: Answer[] = []
  for (const cluster of clusters) {
    const answer = await askAbout(token, audiences, cluster)
    if (answer.knows === true) return undefined
    answers.push(answer)
  }
  const reason = answers.map(({ text }) => text).join("; ")
  if (answers.some(({ knows }) => knows === undefined)) throw new PilothouseError("CONNECTION_LOST", reason)
  return reason
}

interface Answer {
  /** Undefined: it could not be asked. */
  readonly knows?: boolean
  readonly text: string
}

async function askAbout(token: string, audiences: readonly string[] | undefined, cluster: Client): Promise<Answer> {
  try {
    const { status } = await cluster.create(tokenReviews, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      metadata: {},
      spec: { token, ...(audiences !== undefined && { audiences }) },
    })
    return { knows: status?.authenticated === true, text: `the cluster does not know the token: ${status?.error ?? "no reason given"}` }
  } catch (error) {
    return { text: `the cluster could not be asked about the token: ${messageOf(error)}` }
  }
}
