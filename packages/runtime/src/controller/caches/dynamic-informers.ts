import { apiVersionOf, type Descriptor, resourceNameOf } from "@pilothouse/api"
import { customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { type Clock, type Log, messageOf, milliseconds, onAbort } from "@pilothouse/seams"
import type { Informers } from "../../cache/informers.ts"
import type { ChangeHandler } from "../../cache/listener.ts"
import type { Client } from "../../client/client.ts"
import type { Discovered } from "../../client/discovery/discovery.ts"
import type { ObjectRef } from "../plan/plan.ts"
import { isSameResource } from "./declared-kind.ts"
import { DynamicInformer } from "./dynamic-informer.ts"
import type { DynamicKind, DynamicKinds } from "./dynamic-kinds.ts"

export interface DynamicInformersOptions {
  readonly controller: string
  readonly dynamicKinds: DynamicKinds
  readonly informers: Informers
  readonly client: Pick<Client, "discover">
  readonly clock: Clock
  readonly log: Log
}

/** Returns the handlers for one kind. */
export type HandlersFor = (of: Descriptor) => readonly ChangeHandler[]

const defaultInterval = "30s"
/** Milliseconds until a discovery that failed as a whole is retried: nothing is known before the first. */
const retryInterval = 1000
/** Milliseconds. Controllers that discover at about the same time share one result. */
const sharedFor = 1000
/** Milliseconds between discoveries because of changed definitions: an installation may bring hundreds of them. */
const definitionsInterval = 1000
/** Milliseconds a controller waits for its dynamic kinds at the start, as upstream's garbage collector. */
const maxWait = 30_000

/**
 * The informers of the dynamic kinds of one controller.
 *
 * Invariant: the kinds of the last discovery that the controller includes are watched, and those of groups that
 * did not answer; each of them has all handlers.
 */
export class DynamicInformers {
  readonly #options: DynamicInformersOptions
  readonly #informers = new Map<string, DynamicInformer>()
  /** The same by descriptor, for the common lookup: a resource name is a new string each time. */
  readonly #byDescriptor = new Map<Descriptor, DynamicInformer>()
  readonly #handlers = new Set<HandlersFor>()
  readonly #firstDiscovery = Promise.withResolvers<void>()
  /** Resolved when a definition changes; a new one for each discovery. */
  #definitionChanged = Promise.withResolvers<void>()
  #kinds: readonly DynamicKind[] = []

  constructor(options: DynamicInformersOptions) {
    this.#options = options
    const notify: ChangeHandler = (_change, initial) => {
      if (!initial) this.#definitionChanged.resolve()
    }
    this.#handlers.add((of) => (isSameResource(of, customResourceDefinitions) ? [notify] : []))
  }

  kinds(): readonly DynamicKind[] {
    return this.#kinds
  }

  /** Returns the informer of a kind, or undefined where it is not watched. */
  find(of: Descriptor): DynamicInformer | undefined {
    const known = this.#byDescriptor.get(of)
    if (known !== undefined) return known
    const informer = this.#informers.get(resourceNameOf(of))
    return informer !== undefined && isSameResource(informer.of, of) ? informer : undefined
  }

  /** Returns the descriptor for the apiVersion and kind of an object. */
  ofKind({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): Descriptor | undefined {
    return this.#kinds.find(({ of }) => of.kind === kind && apiVersionOf(of) === apiVersion)?.of
  }

  /** Adds handlers to every kind that is watched now or later, until disposed. Objects of a removed kind are delivered as deleted. */
  addHandlers(handlersFor: HandlersFor): Disposable {
    this.#handlers.add(handlersFor)
    for (const informer of this.#informers.values()) informer.addHandlers(handlersFor)
    return {
      [Symbol.dispose]: () => {
        this.#handlers.delete(handlersFor)
        for (const followed of this.#informers.values()) followed.removeHandlers(handlersFor)
      },
    }
  }

  /** Repeats discovery until the signal aborts: after an interval, and when a definition changes. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, dynamicKinds } = this.#options
    const every = milliseconds(dynamicKinds.every ?? defaultInterval)
    let changed = false
    let notBefore = 0
    while (!signal.aborted) {
      this.#definitionChanged = Promise.withResolvers<void>()
      const succeeded = await this.#discover(signal, changed ? 0 : sharedFor)
      if (changed) notBefore = clock.elapsed() + definitionsInterval
      changed = await this.#untilChanged(succeeded ? every : Math.min(every, retryInterval), signal)
      // Also of 0 ms: a server in this process is done with the definition by then.
      if (changed) await this.#sleep(notBefore - clock.elapsed(), signal)
    }
  }

  /** Returns true when a definition changed before the time was over. */
  async #untilChanged(duration: number, signal: AbortSignal): Promise<boolean> {
    let changed = false
    const waiting = new AbortController()
    using _listening = onAbort(signal, () => waiting.abort())
    const changes = this.#definitionChanged.promise.then(() => {
      changed = true
      waiting.abort()
    })
    await Promise.race([changes, this.#sleep(duration, waiting.signal)])
    return changed
  }

  #sleep(duration: number, signal: AbortSignal): Promise<void> {
    const { clock, controller } = this.#options
    return clock.sleep(duration, { signal, name: `kinds of ${controller}` }).catch(() => {})
  }

  /** Resolves when the caches of the first discovery have synced, after 30 s, or when the signal aborts. */
  async synced(signal: AbortSignal): Promise<void> {
    const { clock, controller, log } = this.#options
    const timeout = new AbortController()
    using _timer = clock.timer(maxWait, `discovered kinds of ${controller}`, () => timeout.abort())
    const either = AbortSignal.any([signal, timeout.signal])
    const { promise, resolve } = Promise.withResolvers<void>()
    // onAbort also handles a signal that has aborted already.
    using _listening = onAbort(either, resolve)
    await Promise.race([promise, this.#allSynced()])
    if (!timeout.signal.aborted) return
    const missing = this.#kinds.filter(({ hasSynced }) => !hasSynced).map(({ of }) => resourceNameOf(of))
    log.warn("a controller starts without the caches of some of its dynamic kinds", { controller, missing })
  }

  async #allSynced(): Promise<void> {
    await this.#firstDiscovery.promise
    await Promise.all([...this.#informers.values()].map(({ informer }) => informer.synced()))
  }

  /** Returns true when discovery succeeded. */
  async #discover(signal: AbortSignal, youngerThan: number): Promise<boolean> {
    const { client, controller, log } = this.#options
    try {
      const found = await client.discover({ signal, youngerThan })
      if (signal.aborted) return false
      const before = new Map([...this.#informers].map(([name, { of }]) => [name, of]))
      this.#update(chooseKinds(found, before, (of) => this.#includes(of)))
      this.#firstDiscovery.resolve()
      if (found.failed.length > 0) this.#notifyFailed()
      for (const { groupVersion, message } of found.failed)
        log.warn("discovery of an API group failed; its known kinds stay", { controller, groupVersion, error: message })
      return true
    } catch (error) {
      if (signal.aborted) return false
      log.warn("discovery failed, retrying", { controller, error: messageOf(error) })
      this.#notifyFailed()
      return false
    }
  }

  #notifyFailed(): void {
    const { controller, log, dynamicKinds } = this.#options
    try {
      dynamicKinds.failed?.()
    } catch (error) {
      log.error("dynamicKinds.failed threw; discovery is repeated", { controller, error: messageOf(error) })
    }
  }

  #includes(of: Descriptor): boolean {
    try {
      return this.#options.dynamicKinds.includes(of)
    } catch (error) {
      return this.#refused(of, error)
    }
  }

  /** All removed kinds are taken out before handlers run: a mapping that reads the caches finds none of them. */
  #update(chosen: ReadonlyMap<string, Descriptor>): void {
    const removed = [...this.#informers].filter(([name, { of }]) => chosen.get(name) !== of)
    for (const [name, { of }] of removed) {
      this.#informers.delete(name)
      this.#byDescriptor.delete(of)
    }
    for (const [name, of] of chosen) if (!this.#informers.has(name)) this.#start(name, of)
    this.#kinds = [...this.#informers.values()]
    for (const [, informer] of removed) informer.end()
  }

  #start(name: string, of: Descriptor): void {
    const { dynamicKinds, informers, log } = this.#options
    const { metadataOnly } = dynamicKinds
    const scope = { metadataOnly: typeof metadataOnly === "function" ? metadataOnly(of) : metadataOnly }
    const informer = new DynamicInformer(of, informers.borrow(of, scope), log)
    try {
      for (const index of dynamicKinds.indexes?.(of) ?? []) informer.informer.addIndex(index)
      for (const handlersFor of this.#handlers) informer.addHandlers(handlersFor)
      this.#informers.set(name, informer)
      this.#byDescriptor.set(of, informer)
    } catch (error) {
      informer.end()
      this.#refused(of, error)
    }
  }

  #refused(of: Descriptor, error: unknown): false {
    const { controller, log } = this.#options
    log.error("a discovered kind is not watched: a callback of the controller threw for it", {
      controller,
      resource: resourceNameOf(of),
      error: messageOf(error),
    })
    return false
  }
}

/**
 * Chooses the resources to watch after a discovery, by name: one version of each.
 * Pure. A watched version stays while it is served, and while its group does not answer.
 */
function chooseKinds(
  { resources, failed }: Discovered,
  current: ReadonlyMap<string, Descriptor>,
  includes: (of: Descriptor) => boolean,
): ReadonlyMap<string, Descriptor> {
  const unavailable = new Set(failed.map(({ groupVersion }) => groupVersion))
  const chosen = new Map<string, Descriptor>()
  for (const [name, of] of current) {
    const served = resources.find((resource) => isSameResource(resource, of))
    const remains = served === undefined ? unavailable.has(apiVersionOf(of)) : canBeWatched(served) && includes(served)
    if (remains) chosen.set(name, of)
  }
  for (const of of resources) {
    const name = resourceNameOf(of)
    if (!chosen.has(name) && canBeWatched(of) && includes(of)) chosen.set(name, of)
  }
  return chosen
}

function canBeWatched({ verbs }: Descriptor): boolean {
  return verbs.includes("list") && verbs.includes("watch")
}
