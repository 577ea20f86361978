import { messageOf, PilothouseError } from "@pilothouse/seams"
import type { Identity } from "../../authentication/identity.ts"
import type { RemoteApiService, RemoteOpenApi } from "../../server/aggregation.ts"
import type { Server } from "../../server/server.ts"
import type { ExtensionCaller } from "../extension/extension-server.ts"
import { type FetchedDocument, fetchDocument } from "../extension/fetch-document.ts"
import type { RemoteApiServices } from "../extension/remote-api-services.ts"
import { type Reading, RemoteDocuments } from "../extension/remote-documents.ts"
import { swaggerEntries, urlIn } from "./remote-document.ts"

/** Upstream's: APIServices at a time, delays in milliseconds after failures, and how often all is read again. */
const [concurrency, minDelay, maxDelay, refreshAfter] = [1, 1000, 60_000, 60_000]

/** As upstream reads documents of OpenAPI. */
const user: Identity = { name: "system:aggregator", groups: [] }

export interface OpenApiManagerOptions {
  readonly server: Pick<Server, "clock" | "log">
  readonly caller: ExtensionCaller
  readonly remotes: RemoteApiServices
  /** Called when what `of` returns has changed. */
  readonly onChange: () => void
}

interface Kept {
  readonly openApi: RemoteOpenApi
  /** Of the document of OpenAPI v2. */
  readonly etag: string
}

/** What OpenAPI of extension servers says of their group versions: what was read last, until it is read again or its APIService is gone. */
export class OpenApiManager implements Disposable {
  readonly #options: OpenApiManagerOptions
  readonly #kept: RemoteDocuments<Kept>

  constructor(options: OpenApiManagerOptions) {
    const { server, remotes, onChange } = options
    this.#options = options
    this.#kept = new RemoteDocuments({
      clock: server.clock,
      name: "OpenAPI of extension servers",
      concurrency,
      minDelay,
      maxDelay,
      refreshAfter,
      remotes,
      onChange,
      read: (remote, before) => this.#reading(remote, before),
      shown: ({ openApi }) => openApi,
    })
  }

  /** Undefined until the server was read. */
  of(name: string): RemoteOpenApi | undefined {
    return this.#kept.of(name)?.openApi
  }

  changed(name: string): void {
    this.#kept.changed(name)
  }

  [Symbol.dispose](): void {
    this.#kept[Symbol.dispose]()
  }

  async #reading(remote: RemoteApiService, before: Kept | undefined): Promise<Reading<Kept>> {
    try {
      return { value: await this.#read(remote, before) }
    } catch (error) {
      const about = { name: remote.metadata.name, error: messageOf(error) }
      this.#options.server.log.debug("OpenAPI of an extension server could not be read, trying again later", about)
      throw error
    }
  }

  async #read(remote: RemoteApiService, before: Kept | undefined): Promise<Kept> {
    const { caller } = this.#options
    const { group = "", version = "" } = remote.spec
    const path = `apis/${group}/${version}`
    const index = await fetchDocument(caller, remote, user, "/openapi/v3", { accept: "application/json" })
    const url = index.status === 404 ? undefined : urlIn(checked(index, "/openapi/v3").value(), path)
    const known = { ...(before !== undefined && before.etag !== "" && { "if-none-match": before.etag }) }
    const swagger = await fetchDocument(caller, remote, user, "/openapi/v2", { accept: "application/json", ...known })
    if (swagger.status === 304 && before !== undefined) return { openApi: { ...before.openApi, url }, etag: before.etag }
    if (swagger.status === 404) return { openApi: { url, swagger: undefined }, etag: "" }
    return { openApi: { url, swagger: swaggerEntries(checked(swagger, "/openapi/v2").value(), `/${path}`) }, etag: swagger.etag }
  }
}

function checked(document: FetchedDocument, path: string): FetchedDocument {
  if (document.status === 200) return document
  throw new PilothouseError("PROTOCOL", `expected OpenAPI of an extension server at ${path}, found status code ${document.status}`)
}
