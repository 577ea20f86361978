import { escapedAsGo } from "@pilothouse/api"
import { type HeaderMap, PilothouseError, type Query, stringifyJson, type TransportRequest } from "@pilothouse/seams"

/** "/base/api/v1/pods?limit=500&watch=true": the base is the path of the server's address. */
export function pathWithQuery(base: string, { path, query }: Pick<TransportRequest, "path" | "query">): string {
  const text = queryText(query)
  return `${base}${path}${text === "" ? "" : `?${text}`}`
}

function queryText(query: Query): string {
  const parts = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of typeof value === "string" ? [value] : value) parts.append(name, one)
  }
  return parts.toString()
}

export interface EncodedBody {
  readonly bytes: Uint8Array
  readonly headers: HeaderMap
}

/** A value becomes JSON here, once; a patch has said what kind of JSON it is. */
export function encodedBody({ body, headers }: TransportRequest): EncodedBody | undefined {
  if (body === undefined) return undefined
  if (body.type === "bytes") return { bytes: body.bytes, headers: { "content-type": headers["content-type"] ?? body.contentType } }
  if (body.value === undefined) return undefined
  const text = stringifyJson(body.value)
  if (text === undefined) throw new PilothouseError("INVALID", `expected a body that can be written as JSON, found a ${typeof body.value}`)
  return { bytes: Buffer.from(escapedAsGo(text)), headers: { "content-type": headers["content-type"] ?? "application/json" } }
}

/** A watch or a followed log goes on until it is closed; everything else is whole. */
export function asksForStream({ verb, query }: TransportRequest): boolean {
  return verb === "GET" && (isTrue(query.watch) || isTrue(query.follow))
}

function isTrue(value: string | readonly string[] | undefined): boolean {
  const text = typeof value === "object" ? value[0] : value
  return text === "true" || text === "1"
}
