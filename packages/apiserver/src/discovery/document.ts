import { createHash, type Hash } from "node:crypto"
import type { TransportRequest, TransportResponse } from "@pilothouse/seams"
import { noBody, stringifyJson } from "@pilothouse/seams"

/** A document that is the same for every client until the server's resources change. */
export interface StaticDocument {
  readonly bytes: Uint8Array
  readonly contentType: string
  /** SHA-512 in upper-case hexadecimal digits. */
  readonly hash: string
}

export function staticDocument(value: object, contentType = "application/json"): StaticDocument {
  return documentOf(Buffer.from(stringifyJson(value)), contentType)
}

/** `hash`: SHA-512, where it has seen the bytes already. */
export function documentOf(bytes: Uint8Array, contentType: string, hash: Hash = createHash("sha512").update(bytes)): StaticDocument {
  return { bytes, contentType, hash: hash.digest("hex").toUpperCase() }
}

/** The document with its ETag, or 304 for a client that has it. */
export function documentResponse(
  { bytes, contentType, hash }: StaticDocument,
  request: TransportRequest,
  more: Readonly<Record<string, string>> = {},
): TransportResponse {
  const etag = `"${hash}"`
  const headers = { etag, vary: "Accept", "cache-control": "public", ...more }
  if (request.headers["if-none-match"] === etag) return { status: 304, headers, body: noBody }
  return { status: 200, headers, body: { type: "bytes", bytes, contentType } }
}
