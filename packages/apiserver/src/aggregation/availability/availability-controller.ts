import { pathOf } from "@pilothouse/api"
import { apiServices } from "@pilothouse/api/apiregistration/v1"
import { services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { messageOf } from "@pilothouse/seams"
import { listPrefix } from "../../registry/object-key.ts"
import type { RemoteApiService } from "../../server/aggregation.ts"
import type { Serve } from "../../server/call.ts"
import { KeyedWork } from "../../server/keyed-work.ts"
import { ownWrite } from "../../server/own-write.ts"
import type { Server } from "../../server/server.ts"
import type { ExtensionCaller } from "../extension/extension-server.ts"
import type { RemoteApiServices } from "../extension/remote-api-services.ts"
import type { AvailabilityMetrics } from "./availability-metrics.ts"
import { checkAvailability } from "./check-availability.ts"
import { withAvailability } from "./conditions.ts"

/** Upstream's: keys at a time, delays in milliseconds after failures, and how often what works is checked again. */
const [concurrency, minDelay, maxDelay, refreshAfter] = [5, 5, 30_000, 30_000]

export interface AvailabilityOptions {
  readonly server: Pick<Server, "clock" | "log" | "registry" | "storage">
  readonly caller: ExtensionCaller
  readonly remotes: RemoteApiServices
  readonly metrics: AvailabilityMetrics
  readonly serve: Serve
}

/**
 * Writes the condition Available of every APIService that names a Service. Checks it when the APIService, its Service or a slice of its endpoints changes, every 30 s,
 * and more often while it fails.
 */
export class AvailabilityController implements Disposable {
  readonly #options: AvailabilityOptions
  readonly #work: KeyedWork
  readonly #held = new DisposableStack()

  constructor(options: AvailabilityOptions) {
    const { server, remotes } = options
    this.#options = options
    this.#work = this.#held.use(
      new KeyedWork({
        clock: server.clock,
        name: "availability of an APIService",
        concurrency,
        minDelay,
        maxDelay,
        refreshAfter,
        work: (name) => this.#reconcile(name),
      }),
    )
    for (const { metadata } of remotes.all()) this.#work.add(metadata.name ?? "")
    this.#watch(services, ({ metadata }) => metadata.name)
    this.#watch(endpointSlices, ({ metadata }) => metadata.labels?.["kubernetes.io/service-name"])
  }

  changed(name: string, remote: RemoteApiService | undefined): void {
    if (remote !== undefined) this.#work.add(name)
    else this.#work.remove(name)
  }

  [Symbol.dispose](): void {
    this.#held.dispose()
  }

  #watch(descriptor: typeof services | typeof endpointSlices, nameOf: (object: { metadata: Metadata }) => string | undefined): void {
    const { server, remotes } = this.#options
    const prefix = listPrefix(server.registry.served(descriptor), undefined)
    this.#held.use(
      server.storage.watch(prefix, server.storage.revision, ({ value }) => {
        const name = nameOf(value)
        for (const { metadata, spec } of remotes.all()) {
          if (spec.service.name === name && spec.service.namespace === value.metadata.namespace) this.#work.add(metadata.name ?? "")
        }
      }),
    )
  }

  async #reconcile(name: string): Promise<void> {
    const { server, caller, remotes, metrics } = this.#options
    const remote = remotes.named(name)
    if (remote === undefined) return
    const availability = await checkAvailability(caller, remote)
    // Another writer may have changed it meanwhile: then it is checked again.
    if (remotes.named(name)?.metadata.uid !== remote.metadata.uid) return
    const next = withAvailability(remote, availability, server.clock.now())
    metrics.checked(remote, next)
    await this.#write(next, remote)
    if (availability.reason === "FailedDiscoveryCheck") throw new Error(availability.message)
  }

  async #write(next: RemoteApiService, before: RemoteApiService): Promise<void> {
    if (next === before) return
    const { serve, server } = this.#options
    const path = pathOf(apiServices, { name: next.metadata.name ?? "", subresource: "status" })
    try {
      await ownWrite(serve, { verb: "PUT", path, value: next })
    } catch (error) {
      const about = { name: next.metadata.name, error: messageOf(error) }
      server.log.error("the status of an APIService could not be written, trying again later", about)
      throw error
    }
  }
}

interface Metadata {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
}
