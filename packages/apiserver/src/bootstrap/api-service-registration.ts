import { deepEqual, pathOf } from "@pilothouse/api"
import { type APIService, apiServices } from "@pilothouse/api/apiregistration/v1"
import { messageOf } from "@pilothouse/seams"
import { customPriority } from "../discovery/group-priorities.ts"
import { listPrefix, readObject } from "../registry/object-key.ts"
import type { Serve } from "../server/call.ts"
import { KeyedWork } from "../server/keyed-work.ts"
import { ownWrite } from "../server/own-write.ts"
import type { Server } from "../server/server.ts"
import { managedLabel, specOf } from "./local-api-services.ts"

/** APIServices at a time, and delays in milliseconds after writes that were refused. */
const [concurrency, minDelay, maxDelay] = [5, 5, 30_000]

/**
 * Keeps an APIService for every group version of a definition that is served, until it is disposed. One that a client has made itself, without the label,
 * is left alone.
 */
export class ApiServiceRegistration implements Disposable {
  readonly #server: Server
  readonly #serve: Serve
  readonly #work: KeyedWork
  readonly #held = new DisposableStack()

  constructor(server: Server, serve: Serve) {
    const { clock, storage, registry } = server
    this.#server = server
    this.#serve = serve
    const work = (name: string) => this.#reconcile(name)
    this.#work = this.#held.use(new KeyedWork({ clock, name: "the APIService of a definition", concurrency, minDelay, maxDelay, work }))
    const { customResources } = registry
    this.#held.use(customResources.onChange((name) => this.#changed(name)))
    const resource = registry.of(apiServices)
    const prefix = listPrefix(resource, undefined)
    for (const { value } of storage.list(prefix).items) this.#changedService(resource.stored.decode(value))
    this.#held.use(storage.watch(prefix, storage.revision, ({ value }) => this.#changedService(resource.stored.decode(value))))
    for (const { metadata } of customResources.definitions()) this.#changed(metadata.name ?? "")
  }

  [Symbol.dispose](): void {
    this.#held.dispose()
  }

  /** Of a definition: its group has the versions of others too, and those that it had. */
  #changed(definition: string): void {
    const group = definition.slice(definition.indexOf(".") + 1)
    const { registry, storage } = this.#server
    const found = registry.customResources.definition(definition)
    if (found !== undefined) for (const { name } of found.spec.versions) this.#work.add(`${name}.${group}`)
    if (found !== undefined && found.metadata.generation === 1) return
    for (const { value } of storage.list(listPrefix(registry.of(apiServices), undefined)).items) {
      const { name = "" } = value.metadata
      if (name.endsWith(`.${group}`)) this.#work.add(name)
    }
  }

  #changedService({ metadata }: APIService): void {
    if (metadata.labels?.[managedLabel] === "true") this.#work.add(metadata.name ?? "")
  }

  async #reconcile(name: string): Promise<void> {
    const [version = "", ...rest] = name.split(".")
    const group = rest.join(".")
    const { registry, storage } = this.#server
    const stored = readObject(storage, registry.of(apiServices), undefined, name)
    if (stored !== undefined && stored.metadata.labels?.[managedLabel] !== "true") return
    const spec = this.#isServed(group, version) ? specOf(group, version, customPriority) : undefined
    if (deepEqual(stored?.spec, spec)) return
    if (spec === undefined) return this.#send("DELETE", name, { preconditions: { uid: stored?.metadata.uid } })
    const object = { metadata: { name, labels: { [managedLabel]: "true" } }, spec }
    await (stored === undefined ? this.#send("POST", "", object) : this.#send("PUT", name, { ...stored, spec }))
  }

  #isServed(group: string, version: string): boolean {
    const definitions = this.#server.registry.customResources.definitions()
    return definitions.some(({ spec }) => spec.group === group && spec.versions.some((one) => one.served && one.name === version))
  }

  async #send(verb: "POST" | "PUT" | "DELETE", name: string, value: object): Promise<void> {
    const path = pathOf(apiServices, name === "" ? {} : { name })
    try {
      await ownWrite(this.#serve, { verb, path, value })
    } catch (error) {
      this.#server.log.error("the APIService of a definition could not be written, trying again later", { path, error: messageOf(error) })
      throw error
    }
  }
}
