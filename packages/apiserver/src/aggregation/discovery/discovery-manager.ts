import { deepEqual } from "@pilothouse/api"
import { messageOf } from "@pilothouse/seams"
import type { RemoteApiService } from "../../server/aggregation.ts"
import { KeyedWork } from "../../server/keyed-work.ts"
import type { Server } from "../../server/server.ts"
import type { ExtensionCaller } from "../extension/extension-server.ts"
import type { RemoteApiServices } from "../extension/remote-api-services.ts"
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

/** Keeps what extension servers say that they serve. No request waits for one of them: what is not known yet is left out. */
export class DiscoveryManager implements Disposable {
  readonly #options: DiscoveryManagerOptions
  readonly #work: KeyedWork
  readonly #versions = new Map<string, DiscoveredVersion>()
  /** By Service: several APIServices may name one. */
  readonly #servers = new Map<string, Cached>()
  /** By APIService: when it changed last, or was found to be due. */
  readonly #dirtySince = new Map<string, number>()

  constructor(options: DiscoveryManagerOptions) {
    const { clock } = options.server
    this.#options = options
    const name = "discovery of extension servers"
    this.#work = new KeyedWork({ clock, name, concurrency, minDelay, maxDelay, refreshAfter, work: (key) => this.#reconcile(key) })
    for (const { metadata } of options.remotes.all()) this.changed(metadata.name ?? "")
  }

  /** Undefined until the server was read once, or could not be. */
  of(name: string): DiscoveredVersion | undefined {
    return this.#versions.get(name)
  }

  changed(name: string): void {
    const { remotes, server } = this.#options
    if (remotes.named(name) === undefined) {
      this.#work.remove(name)
      this.#dirtySince.delete(name)
      if (this.#versions.delete(name)) this.#options.onChange()
      this.#forgetServers()
    } else {
      this.#dirtySince.set(name, server.clock.elapsed())
      this.#work.add(name)
    }
  }

  [Symbol.dispose](): void {
    this.#work[Symbol.dispose]()
  }

  #forgetServers(): void {
    const used = new Set(this.#options.remotes.all().map(serverKey))
    for (const key of this.#servers.keys()) if (!used.has(key)) this.#servers.delete(key)
  }

  async #reconcile(name: string): Promise<void> {
    const { remotes, server } = this.#options
    const remote = remotes.named(name)
    if (remote === undefined) return
    try {
      const fetched = await this.#fetched(name, remote)
      const { group = "", version = "" } = remote.spec
      this.#set(name, { resources: fetched.versions.get(`${group}/${version}`) ?? [], freshness: "Current" })
    } catch (error) {
      server.log.warn("the discovery of an extension server could not be read, trying again later", { name, error: messageOf(error) })
      this.#set(name, { resources: this.#versions.get(name)?.resources ?? [], freshness: "Stale" })
      throw error
    }
    // The next time is a refresh, which reads the server again.
    this.#dirtySince.set(name, server.clock.elapsed() + 1)
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

  #set(name: string, next: DiscoveredVersion): void {
    const { remotes, onChange } = this.#options
    if (remotes.named(name) === undefined) return
    const before = this.#versions.get(name)
    if (before !== undefined && before.freshness === next.freshness && deepEqual(before.resources, next.resources)) return
    this.#versions.set(name, next)
    onChange()
  }
}

function serverKey({ spec: { service } }: RemoteApiService): string {
  return `${service.namespace}/${service.name}:${service.port}`
}
