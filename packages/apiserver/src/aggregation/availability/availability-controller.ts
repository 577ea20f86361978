import { pathOf, type Status } from "@pilothouse/api"
import { apiServices } from "@pilothouse/api/apiregistration/v1"
import { services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { messageOf, valueBody } from "@pilothouse/seams"
import { apiServer } from "../../authentication/identity.ts"
import { listPrefix } from "../../registry/object-key.ts"
import type { RemoteApiService } from "../../server/aggregation.ts"
import type { Serve } from "../../server/call.ts"
import type { Server } from "../../server/server.ts"
import type { ExtensionCaller } from "../extension/extension-server.ts"
import { KeyedWork } from "../extension/keyed-work.ts"
import type { RemoteApiServices } from "../extension/remote-api-services.ts"
import { checkAvailability } from "./check-availability.ts"
import { withAvailability } from "./conditions.ts"

/** Upstream's: keys at a time, delays in milliseconds after failures, and how often what works is checked again. */
const [concurrency, minDelay, maxDelay, refreshAfter] = [5, 5, 30_000, 30_000]

export interface AvailabilityOptions {
  readonly server: Pick<Server, "storage" | "registry" | "clock" | "log">
  readonly caller: ExtensionCaller
  readonly remotes: RemoteApiServices
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
    if (remote === undefined) this.#work.remove(name)
    else this.#work.add(name)
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
    const { server, caller, remotes } = this.#options
    const remote = remotes.named(name)
    if (remote === undefined) return
    const availability = await checkAvailability(caller, remote)
    // Another writer may have changed it meanwhile: then it is checked again.
    if (remotes.named(name)?.metadata.uid !== remote.metadata.uid) return
    await this.#write(withAvailability(remote, availability, server.clock.now()), remote)
    if (availability.reason === "FailedDiscoveryCheck") throw new Error(availability.message)
  }

  async #write(next: RemoteApiService, before: RemoteApiService): Promise<void> {
    if (next === before) return
    const { serve, server } = this.#options
    const path = pathOf(apiServices, { name: next.metadata.name ?? "", subresource: "status" })
    const headers = { "content-type": "application/json", "user-agent": "kube-apiserver" }
    const { status, body } = await serve(apiServer, { verb: "PUT", path, query: {}, headers, body: valueBody(next) })
    // A conflict is a change by another writer, which is worked on by itself.
    if (status === 200 || status === 404 || status === 409) return
    const value = body.type === "value" ? (body.value as Status | undefined) : undefined
    const error = value?.message ?? `the status was answered with ${status}`
    server.log.error("the status of an APIService could not be written, trying again later", {
      name: next.metadata.name,
      error: messageOf(error),
    })
    throw new Error(error)
  }
}

interface Metadata {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
}
