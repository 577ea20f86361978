import { deepEqual } from "@pilothouse/api"
import type { TransportResponse } from "@pilothouse/seams"
import type { ProxiedRequest, RemoteApiService, RemoteOpenApi } from "../server/aggregation.ts"
import type { Serve } from "../server/call.ts"
import type { Server } from "../server/server.ts"
import { AvailabilityController } from "./availability/availability-controller.ts"
import type { AvailabilityMetrics } from "./availability/availability-metrics.ts"
import { isAvailable } from "./availability/conditions.ts"
import { type DiscoveredVersion, DiscoveryManager } from "./discovery/discovery-manager.ts"
import type { ExtensionCaller } from "./extension/extension-server.ts"
import type { RemoteApiServices } from "./extension/remote-api-services.ts"
import { OpenApiManager } from "./openapi/openapi-manager.ts"
import { proxyRequest } from "./proxy-request.ts"

export interface AggregatorOptions {
  readonly server: Server
  readonly caller: ExtensionCaller
  readonly remotes: RemoteApiServices
  readonly metrics: AvailabilityMetrics
  readonly serve: Serve
  /** Called when discovery has changed. */
  readonly onChange: () => void
}

/** All that is done about extension servers; loaded with the first APIService that names a Service. */
export class Aggregator implements Disposable {
  readonly #caller: ExtensionCaller
  readonly #discovery: DiscoveryManager
  readonly #openApi: OpenApiManager
  readonly #held = new DisposableStack()

  constructor(options: AggregatorOptions) {
    const { remotes, caller } = options
    this.#caller = caller
    const availability = this.#held.use(new AvailabilityController(options))
    this.#discovery = this.#held.use(new DiscoveryManager(options))
    this.#openApi = this.#held.use(new OpenApiManager(options))
    remotes.onChange((name, remote, before) => {
      const isSame = before !== undefined && deepEqual(before.spec, remote?.spec)
      // Its status is written by the controller itself: the documents of a server that has come back are read at once.
      if (isSame && (isAvailable(before) || remote === undefined || !isAvailable(remote))) return
      if (!isSame) {
        options.onChange()
        availability.changed(name, remote)
      }
      this.#discovery.changed(name)
      this.#openApi.changed(name)
    })
  }

  proxy(remote: RemoteApiService, request: ProxiedRequest): Promise<TransportResponse> {
    return proxyRequest(this.#caller, remote, request)
  }

  discovered(name: string): DiscoveredVersion | undefined {
    return this.#discovery.of(name)
  }

  openApi(name: string): RemoteOpenApi | undefined {
    return this.#openApi.of(name)
  }

  [Symbol.dispose](): void {
    this.#held.dispose()
  }
}
