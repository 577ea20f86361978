import type { TransportRequest, TransportResponse } from "@pilothouse/seams"
import type { ServiceAccountTokens } from "../tokens/service-account-tokens.ts"
import { idOf, jsonWebKey } from "../tokens/signing-key.ts"

const [configurationPath, keysPath] = ["/.well-known/openid-configuration", "/openid/v1/jwks"]

export const issuerPaths: readonly string[] = [configurationPath, keysPath]

/** What others check the tokens of service accounts by, as OpenID Connect has it. */
export interface Issuer {
  readonly tokens: Pick<ServiceAccountTokens, "issuer" | "keys"> | undefined
  /** Where this server is reached: "https://127.0.0.1:6443". */
  readonly url: string
}

/** Serves the documents of the service account issuer; undefined for every other path, and where the issuer's name is none that can be looked up. */
export function issuerResponse({ tokens, url }: Issuer, { verb, path }: TransportRequest): TransportResponse | undefined {
  if (verb !== "GET" || !issuerPaths.includes(path) || !isIssuer(tokens)) return undefined
  if (path === keysPath) return documentOf({ keys: uniqueKeys(tokens).map(jsonWebKey) }, "application/jwk-set+json")
  const configuration = {
    issuer: tokens.issuer,
    jwks_uri: `${url}${keysPath}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [...new Set(tokens.keys.map(({ algorithm }) => algorithm))].sort(),
  }
  return documentOf(configuration, "application/json")
}

export function isIssuer(tokens: Issuer["tokens"]): tokens is NonNullable<Issuer["tokens"]> {
  return tokens?.issuer.startsWith("https://") === true
}

/** One key may be given twice: for signing and for checking. */
function uniqueKeys({ keys }: NonNullable<Issuer["tokens"]>): NonNullable<Issuer["tokens"]>["keys"] {
  return [...new Map(keys.map((key) => [idOf(key), key])).values()]
}

function documentOf(value: object, contentType: string): TransportResponse {
  const headers = { "content-type": contentType, "cache-control": "public, max-age=3600" }
  return { status: 200, headers, body: { type: "bytes", bytes: Buffer.from(JSON.stringify(value)), contentType } }
}
