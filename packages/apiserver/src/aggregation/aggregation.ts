import { type Metrics, messageOf, type TransportResponse } from "@pilothouse/seams"
import type { RemoteGroupVersion } from "../discovery/groups.ts"
import type { GroupVersionProxies, ProxiedRequest, RemoteApiService, RemoteOpenApi } from "../server/aggregation.ts"
import type { Serve } from "../server/call.ts"
import type { Server } from "../server/server.ts"
import type { Aggregator } from "./aggregator.ts"
import { AvailabilityMetrics } from "./availability/availability-metrics.ts"
import type { ExtensionCaller } from "./extension/extension-server.ts"
import { RemoteApiServices, type RemoteApiServicesOptions } from "./extension/remote-api-services.ts"

interface AggregationParts extends Pick<RemoteApiServicesOptions, "storage" | "registry"> {
  readonly metrics: Metrics
}

/** Group versions that extension servers answer for. Holds a table of their APIServices; all else is loaded when the first of them names a Service. */
export class Aggregation implements GroupVersionProxies, Disposable {
  readonly #server: () => Server & ExtensionCaller
  readonly #remotes: RemoteApiServices
  readonly #metrics: AvailabilityMetrics
  readonly #held = new DisposableStack()
  #serve: Serve | undefined
  #loading: Promise<Aggregator> | undefined
  #aggregator: Aggregator | undefined
  #generation = 0

  constructor({ metrics, ...stored }: AggregationParts, server: () => Server & ExtensionCaller) {
    this.#server = server
    this.#metrics = new AvailabilityMetrics(metrics)
    this.#remotes = this.#held.use(new RemoteApiServices({ ...stored, metrics: this.#metrics }))
    this.#remotes.onChange(() => {
      // Later the aggregator knows which changes are more than its own writes of the status.
      if (this.#aggregator !== undefined) return
      this.#changed()
      this.#load()
    })
  }

  /** Another number whenever `versions` returns something else. */
  get generation(): number {
    return this.#generation
  }

  /** Begins to check and to read extension servers: the server can be written to. */
  start(serve: Serve): void {
    this.#serve = serve
    if (this.#remotes.size > 0) this.#load()
  }

  /** Undefined where this server answers for the group version itself. */
  of(group: string, version: string): RemoteApiService | undefined {
    return this.#remotes.of(group, version)
  }

  async proxy(remote: RemoteApiService, request: ProxiedRequest): Promise<TransportResponse> {
    return (await this.#loaded()).proxy(remote, request)
  }

  /** What discovery says of them. */
  versions(): readonly RemoteGroupVersion[] {
    return this.#remotes.all().map(({ metadata, spec }) => {
      const { group = "", version = "" } = spec
      const priority = { group: spec.groupPriorityMinimum, version: spec.versionPriority }
      const groupVersion = group === "" ? version : `${group}/${version}`
      const discovered = this.#aggregator?.discovered(metadata.name ?? "")
      return { group, version, groupVersion, resources: [], remote: { priority, discovered } }
    })
  }

  openApi(): ReadonlyMap<string, RemoteOpenApi> {
    const found = this.#remotes.all().flatMap(({ metadata, spec }) => {
      const openApi = this.#aggregator?.openApi(metadata.name ?? "")
      return openApi === undefined ? [] : [[`apis/${spec.group}/${spec.version}`, openApi] as const]
    })
    return new Map(found)
  }

  [Symbol.dispose](): void {
    this.#held.dispose()
  }

  #changed(): void {
    this.#generation++
  }

  #load(): void {
    if (this.#serve === undefined || this.#loading !== undefined) return
    this.#loaded().catch((error: unknown) =>
      this.#server().log.error("what calls extension servers could not be loaded", { error: messageOf(error) }),
    )
  }

  #loaded(): Promise<Aggregator> {
    this.#loading ??= this.#begin().catch((error: unknown) => {
      // The next request tries again.
      this.#loading = undefined
      throw error
    })
    return this.#loading
  }

  async #begin(): Promise<Aggregator> {
    const server = this.#server()
    const { Aggregator } = await server.clock.external(import("./aggregator.ts"), "loading the aggregation layer")
    const serve = this.#serve!
    const options = { server, caller: server, remotes: this.#remotes, metrics: this.#metrics, serve, onChange: () => this.#changed() }
    this.#aggregator = new Aggregator(options)
    if (this.#held.disposed) this.#aggregator[Symbol.dispose]()
    else this.#held.use(this.#aggregator)
    this.#changed()
    return this.#aggregator
  }
}
