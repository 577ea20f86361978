import { messageOf } from "@pilothouse/seams"
import type { RemoteApiService } from "../../server/aggregation.ts"
import type { Server } from "../../server/server.ts"
import type { ExtensionCaller } from "../extension/extension-server.ts"
import type { RemoteApiServices } from "../extension/remote-api-services.ts"
import { type Reading, RemoteDocuments } from "../extension/remote-documents.ts"
import { type FetchedDiscovery, fetchDiscovery } from "./fetch-discovery.ts"
import type { DiscoveredResources } from "./resource-discovery.ts"

/** Upstream's: APIServices at a time, delays in milliseconds after failures, and how often all is read again. */
const [concurrency, minDelay, maxDelay, refreshAfter] = [2, 500, 60_000, 60_000]

/** What discovery says of a group version that an extension server answers for. */
export interface DiscoveredVersion {
  readonly resources: DiscoveredResources
  /** Stale: the server could not be read again, and this is what it last said. */
  readonly freshness: "Current" | "Stale"
}

export interface DiscoveryManagerOptions {
  readonly server: Pick<Server, "clock" | "log">
  readonly caller: ExtensionCaller
  readonly remotes: RemoteApiServices
  /** Called when what `of` returns has changed. */
  readonly onChange: () => void
}

interface Cached {
  readonly fetched: FetchedDiscovery
  /** When it was requested. */
  readonly at: number
}

/** What extension servers say that they serve. No request waits for one of them: what is not known yet is left out. */
export class DiscoveryManager implements Disposable {
  readonly #options: DiscoveryManagerOptions
  readonly #versions: RemoteDocuments<DiscoveredVersion>
  /** By Service: several APIServices may name one. */
  readonly #servers = new Map<string, Cached>()
  /** By APIService: when it changed last, or was found to be due. */
  readonly #dirtySince = new Map<string, number>()

  constructor(options: DiscoveryManagerOptions) {
    const { server, remotes, onChange } = options
    this.#options = options
    for (const { metadata } of remotes.all()) this.#dirtySince.set(metadata.name ?? "", server.clock.elapsed())
    this.#versions = new RemoteDocuments({
      clock: server.clock,
      name: "discovery of extension servers",
      concurrency,
      minDelay,
      maxDelay,
      refreshAfter,
      remotes,
      onChange,
      read: (remote, before) => this.#read(remote, before),
    })
  }

  /** Undefined until the server was read once, or could not be. */
  of(name: string): DiscoveredVersion | undefined {
    return this.#versions.of(name)
  }

  changed(name: string): void {
    const { remotes, server } = this.#options
    if (remotes.named(name) !== undefined) this.#dirtySince.set(name, server.clock.elapsed())
    else {
      this.#dirtySince.delete(name)
      this.#forgetServers()
    }
    this.#versions.changed(name)
  }

  [Symbol.dispose](): void {
    this.#versions[Symbol.dispose]()
  }

  #forgetServers(): void {
    const used = new Set(this.#options.remotes.all().map(serverKey))
    for (const key of this.#servers.keys()) if (!used.has(key)) this.#servers.delete(key)
  }

  async #read(remote: RemoteApiService, before: DiscoveredVersion | undefined): Promise<Reading<DiscoveredVersion>> {
    const { server } = this.#options
    const { metadata, spec } = remote
    const { name = "" } = metadata
    try {
      const { versions } = await this.#fetched(name, remote)
      // The next time is a refresh, which reads the server again.
      if (this.#dirtySince.has(name)) this.#dirtySince.set(name, server.clock.elapsed() + 1)
      return { value: { resources: versions.get(`${spec.group ?? ""}/${spec.version ?? ""}`) ?? [], freshness: "Current" } }
    } catch (failure) {
      server.log.warn("the discovery of an extension server could not be read, trying again later", { name, error: messageOf(failure) })
      return { value: { resources: before?.resources ?? [], freshness: "Stale" }, failure }
    }
  }

  async #fetched(name: string, remote: RemoteApiService): Promise<FetchedDiscovery> {
    const { caller, server } = this.#options
    const key = serverKey(remote)
    const known = this.#servers.get(key)
    if (known !== undefined && known.at >= (this.#dirtySince.get(name) ?? 0)) return known.fetched
    const at = server.clock.elapsed()
    const fetched = await fetchDiscovery(caller, remote, known?.fetched)
    if (fetched.isComplete) this.#servers.set(key, { fetched, at })
    return fetched
  }
}

function serverKey({ spec: { service } }: RemoteApiService): string {
  return `${service.namespace}/${service.name}:${service.port}`
}
