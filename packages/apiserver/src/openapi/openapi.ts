import { createHash } from "node:crypto"
import type { Descriptor } from "@pilothouse/api"
import { noBody, queryValue, type TransportRequest, type TransportResponse } from "@pilothouse/seams"
import { documentResponse, type StaticDocument, staticDocument } from "../discovery/document.ts"
import { type ServedVersion, servedGroups } from "../discovery/groups.ts"
import { openApiDocument } from "./document.ts"
import { type BinaryForm, DocumentForms, formOf } from "./forms.ts"
import { documentV2 } from "./gnostic-v2.ts"
import { documentV3 } from "./gnostic-v3.ts"
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
  const documents = new Map<string, DocumentForms>()
  let index: StaticDocument | undefined
  const hash = (version: ServedVersion) => urlHash(version, options.release)
  const formsOf = (path: string, version: ServedVersion): DocumentForms => {
    const forms = documents.get(path) ?? new DocumentForms(() => openApiDocument(version, options.release), binaryV3)
    documents.set(path, forms)
    return forms
  }
  const older = new DocumentForms(() => swaggerDocument([...served.values()], options.release), binaryV2)
  return (request) => {
    if (request.verb !== "GET") return undefined
    if (/^\/openapi\/v2\/?$/.test(request.path)) {
      const form = formOf(request.headers.accept, binaryV2)
      return form === undefined ? refused : documentResponse(older.in(form), request)
    }
    if (!/^\/openapi\/v3(\/|$)/.test(request.path)) return undefined
    const path = request.path.slice("/openapi/v3".length).replace(/^\/|\/$/g, "")
    // The list of documents has one form, whatever is asked for.
    if (path === "") return documentResponse((index ??= indexOf(served, hash)), request)
    const version = served.get(path)
    if (version === undefined) return undefined
    const form = formOf(request.headers.accept, binaryV3)
    return form === undefined ? refused : documentAnswer(() => formsOf(path, version).in(form), hash(version), request, options)
  }
}

const binaryV2: BinaryForm = {
  contentType: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
  olderType: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  codec: documentV2,
}

const binaryV3: BinaryForm = {
  contentType: "application/com.github.proto-openapi.spec.v3.v1.0+protobuf",
  olderType: "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
  codec: documentV3,
}

/** Without a word, as upstream. */
const refused: TransportResponse = { status: 406, headers: { vary: "Accept" }, body: noBody }

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
