import { createHash } from "node:crypto"
import { type Descriptor, notAcceptable } from "@pilothouse/api"
import { noBody, queryValue, type TransportRequest, type TransportResponse, valueBody } from "@pilothouse/seams"
import { documentResponse, type StaticDocument, staticDocument } from "../discovery/document.ts"
import { type ServedVersion, servedGroups } from "../discovery/groups.ts"
import { openApiDocument } from "./document.ts"
import { swaggerDocument } from "./v2.ts"

export interface OpenApiOptions {
  /** "v1.36.3" */
  readonly release: string
  readonly now: () => number
}

/** Answers a request for OpenAPI, v3 or v2; undefined for any other. */
export type OpenApi = (request: TransportRequest) => TransportResponse | undefined

/**
 * The form of our documents. Clients keep a document as long as its URL stays the same, and that has to be known before the
 * document is made: so raise this whenever they come to be made differently of the same resources.
 */
const form = 1

/** Says what this server has in the way that kubectl validates, explains and merges by. Each document is made when first asked for, and kept. */
export function openApi(descriptors: readonly Descriptor[], options: OpenApiOptions): OpenApi {
  const served = new Map(
    servedGroups(descriptors).flatMap(({ versions }) => versions.map((version) => [pathOf(version), version] as const)),
  )
  const documents = new Map<string, StaticDocument>()
  let index: StaticDocument | undefined
  const hash = (version: ServedVersion) => urlHash(version, options.release)
  const documentOf = (path: string, version: ServedVersion): StaticDocument => {
    const document = documents.get(path) ?? staticDocument(openApiDocument(version, options.release))
    documents.set(path, document)
    return document
  }
  let older: StaticDocument | undefined
  return (request) => {
    if (request.verb !== "GET") return undefined
    if (/^\/openapi\/v2\/?$/.test(request.path)) {
      if (!acceptsJson(request.headers.accept)) return refused()
      return documentResponse((older ??= staticDocument(swaggerDocument([...served.values()], options.release))), request)
    }
    if (!/^\/openapi\/v3(\/|$)/.test(request.path)) return undefined
    if (!acceptsJson(request.headers.accept)) return refused()
    const path = request.path.slice("/openapi/v3".length).replace(/^\/|\/$/g, "")
    if (path === "") return documentResponse((index ??= indexOf(served, hash)), request)
    const version = served.get(path)
    if (version === undefined) return undefined
    return documentAnswer(documentOf.bind(undefined, path, version), hash(version), request, options)
  }
}

function documentAnswer(
  document: () => StaticDocument,
  hash: string,
  request: TransportRequest,
  { now }: OpenApiOptions,
): TransportResponse {
  const asked = queryValue(request.query, "hash")
  if (asked === undefined) return documentResponse(document(), request)
  if (asked !== hash) return { status: 301, headers: { location: `${request.path}?hash=${hash}` }, body: noBody }
  // The URL names the content: nobody need ask again for a year.
  const expires = new Date(now() + 365 * 24 * 3_600_000).toUTCString()
  return documentResponse(document(), request, { "cache-control": "public, immutable", expires })
}

function indexOf(served: ReadonlyMap<string, ServedVersion>, hash: (version: ServedVersion) => string): StaticDocument {
  const paths = [...served].map(([path, version]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash(version)}` }])
  return staticDocument({ paths: Object.fromEntries(paths.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))) })
}

/** "api/v1", "apis/apps/v1" */
function pathOf({ groupVersion }: ServedVersion): string {
  return groupVersion.includes("/") ? `apis/${groupVersion}` : `api/${groupVersion}`
}

function urlHash({ resources }: ServedVersion, release: string): string {
  return createHash("sha512")
    .update(JSON.stringify([form, release, resources]))
    .digest("hex")
    .toUpperCase()
}

/** The gnostic protobuf form is not made here; whoever asks for it takes JSON too, or is told. */
function acceptsJson(accept = "*/*"): boolean {
  return /application\/json|application\/\*|\*\/\*/.test(accept)
}

function refused(): TransportResponse {
  const { status } = notAcceptable(["application/json"])
  return { status: 406, headers: {}, body: valueBody(status) }
}
