import { createHash } from "node:crypto"
import type { Descriptor } from "@pilothouse/api"
import { lazy, noBody, queryValue, type TransportRequest, type TransportResponse } from "@pilothouse/seams"
import type { CustomResourceVersion } from "../customresources/served-version.ts"
import { documentResponse, type StaticDocument, staticDocument } from "../discovery/document.ts"
import { type ServedVersion, servedGroups } from "../discovery/groups.ts"
import { inTurns, type Pause } from "../request/turns.ts"
import type { RemoteOpenApi } from "../server/aggregation.ts"
import { customResourceDocument } from "./custom-resource-document.ts"
import { SwaggerDocuments } from "./custom-resource-swagger.ts"
import { openApiDocument } from "./document.ts"
import { type BinaryForm, type BinaryTypes, DocumentForms, type Form, formOf } from "./forms.ts"
import { documentV3 } from "./gnostic-v3.ts"
import { jsonForm, protobufForm } from "./swagger-form.ts"
import { swaggerDocument } from "./v2.ts"

export interface OpenApiOptions {
  /** "v1.36.3" */
  readonly release: string
  readonly now: () => number
  /** Begins long work, which is divided by the pause. */
  readonly begin: (signal?: AbortSignal) => Pause
}

/** What there is to describe. The resources of a server itself never change. */
export interface OpenApiSource {
  readonly descriptors: readonly Descriptor[]
  /** Returns another text whenever the custom resources or the extension servers are others. */
  generation(): string
  /** Returns the served versions of established definitions. */
  customResources(): readonly CustomResourceVersion[]
  /** Returns what extension servers say, by path: "apis/metrics.k8s.io/v1beta1". */
  remotes(): ReadonlyMap<string, RemoteOpenApi>
}

/** Answers a request for OpenAPI, v3 or v2; undefined for any other. */
export type OpenApi = (request: TransportRequest) => TransportResponse | Promise<TransportResponse> | undefined

/**
 * The form of our documents. Clients keep a document as long as its URL stays the same, and that has to be known before the
 * document is made: so raise this whenever they come to be made differently of the same resources.
 */
const form = 2

/** One document of OpenAPI v3. */
interface GroupVersion {
  readonly hash: string
  readonly forms: DocumentForms
}

/** Describes what a server has in the way that kubectl validates, explains and merges by. Each document is made when it is first asked for, and kept until what it describes changes. */
export function openApi(source: OpenApiSource, options: OpenApiOptions): OpenApi {
  // Their hashes cover every descriptor: a server that no client asks for OpenAPI does without.
  const builtIn = lazy(() => builtInDocuments(source.descriptors, options.release))
  const swagger = lazy(() => swaggerDocument(builtIn().versions, options.release))
  const older = { json: new SwaggerDocuments(swagger, jsonForm), binary: new SwaggerDocuments(swagger, protobufForm) }
  let current: Documents | undefined
  const documents = (): Documents => {
    const generation = source.generation()
    if (current?.generation !== generation) {
      current = new Documents({
        generation,
        versions: source.customResources(),
        remotes: source.remotes(),
        builtIn: builtIn().documents,
        older,
        before: current,
      })
    }
    return current
  }
  return (request) => (request.verb === "GET" && request.path.startsWith("/openapi/v") ? answer(request, documents, options) : undefined)
}

function answer(request: TransportRequest, documents: () => Documents, options: OpenApiOptions): ReturnType<OpenApi> {
  if (/^\/openapi\/v2\/?$/.test(request.path)) return olderAnswer(request, documents, options)
  if (!/^\/openapi\/v3(\/|$)/.test(request.path)) return undefined
  const path = request.path.slice("/openapi/v3".length).replace(/^\/|\/$/g, "")
  // The list of documents has one form, whatever is asked for.
  if (path === "") return documentResponse(documents().index(), request)
  const version = documents().groupVersions.get(path)
  if (version === undefined) return undefined
  const form = formOf(request.headers.accept, binaryV3)
  return form === undefined ? refused : documentAnswer(() => version.forms.in(form), version.hash, request, options)
}

function olderAnswer(request: TransportRequest, documents: () => Documents, { begin }: OpenApiOptions): ReturnType<OpenApi> {
  const form = formOf(request.headers.accept, binaryV2)
  if (form === undefined) return refused
  const respond = (document: StaticDocument) => documentResponse(document, request)
  const made = inTurns(documents().older(form), begin(request.signal))
  return made instanceof Promise ? made.then(respond) : respond(made)
}

interface DocumentsOf {
  readonly generation: string
  readonly remotes: ReadonlyMap<string, RemoteOpenApi>
  readonly versions: readonly CustomResourceVersion[]
  readonly builtIn: ReadonlyMap<string, GroupVersion>
  readonly older: Readonly<Record<Form, SwaggerDocuments>>
  /** Of the generation before: a document that did not change is taken from there. */
  readonly before: Documents | undefined
}

/** The documents of one generation of the custom resources. */
class Documents {
  readonly generation: string
  readonly groupVersions: ReadonlyMap<string, GroupVersion>
  readonly index: () => StaticDocument
  readonly #makeOlder: (form: Form) => Generator<undefined, StaticDocument, undefined>
  readonly #older = new Map<Form, StaticDocument>()

  constructor(from: DocumentsOf) {
    this.generation = from.generation
    this.groupVersions = groupVersionsOf(from)
    // `from` has the generation before, which must not be kept.
    const [{ older, remotes }, served] = [from, customOnly(from)]
    this.index = lazy(() => indexOf(this.groupVersions, remotes))
    const others = [...remotes.values()].flatMap(({ swagger }) => swagger ?? [])
    this.#makeOlder = (form) => older[form].make(served, others)
  }

  /** Makes the document of OpenAPI v2, in steps. */
  *older(form: Form): Generator<undefined, StaticDocument, undefined> {
    const made = this.#older.get(form) ?? (yield* this.#makeOlder(form))
    this.#older.set(form, made)
    return made
  }
}

function groupVersionPath({ descriptor }: CustomResourceVersion): string {
  return `apis/${descriptor.group}/${descriptor.version}`
}

/** A definition cannot take the place of what the server has. */
function groupVersionsOf({ versions, builtIn, before }: DocumentsOf): ReadonlyMap<string, GroupVersion> {
  const custom = [...Map.groupBy(versions, groupVersionPath)]
  const made = custom.map(([path, of]) => [path, customGroupVersion(of, before?.groupVersions.get(path))] as const)
  return new Map([...made, ...builtIn])
}

function customOnly({ versions, builtIn }: DocumentsOf): readonly CustomResourceVersion[] {
  return versions.filter((version) => !builtIn.has(groupVersionPath(version)))
}

function builtInDocuments(descriptors: readonly Descriptor[], release: string) {
  const versions = servedGroups(descriptors).flatMap((group) => group.versions)
  const documents = versions.map((version): [string, GroupVersion] => {
    const forms = new DocumentForms(() => openApiDocument(version, release), binaryV3)
    return [pathOf(version), { hash: hashOf([form, release, version.resources]), forms }]
  })
  return { versions, documents: new Map(documents) }
}

function customGroupVersion(versions: readonly CustomResourceVersion[], before: GroupVersion | undefined): GroupVersion {
  // The content of a definition's spec is as old as its generation.
  const facts = versions.map(({ definition: { metadata }, version }) => [metadata.name, metadata.uid, metadata.generation, version.name])
  const hash = hashOf([form, facts])
  if (before?.hash === hash) return before
  return { hash, forms: new DocumentForms(() => customResourceDocument(versions), binaryV3) }
}

const binaryV2: BinaryTypes = {
  contentType: protobufForm.contentType,
  olderType: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
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
  // The URL names the content, which is good for a year.
  const expires = new Date(now() + 365 * 24 * 3_600_000).toUTCString()
  return documentResponse(document(), request, { "cache-control": "public, immutable", expires })
}

/** An extension server takes the place of what this one has. */
function indexOf(groupVersions: ReadonlyMap<string, GroupVersion>, remotes: ReadonlyMap<string, RemoteOpenApi>): StaticDocument {
  const own = [...groupVersions].filter(([path]) => !remotes.has(path))
  const urls = [
    ...own.map(([path, { hash }]) => [path, `/openapi/v3/${path}?hash=${hash}`] as const),
    ...[...remotes].flatMap(([path, { url }]) => (url === undefined ? [] : [[path, url] as const])),
  ]
  const paths = urls.map(([path, serverRelativeURL]) => [path, { serverRelativeURL }] as const)
  return staticDocument({ paths: Object.fromEntries(paths.sort(([a], [b]) => (a < b ? -1 : 1))) })
}

/** "api/v1", "apis/apps/v1" */
function pathOf({ groupVersion }: ServedVersion): string {
  return groupVersion.includes("/") ? `apis/${groupVersion}` : `api/${groupVersion}`
}

function hashOf(facts: readonly unknown[]): string {
  return createHash("sha512").update(JSON.stringify(facts)).digest("hex").toUpperCase()
}
