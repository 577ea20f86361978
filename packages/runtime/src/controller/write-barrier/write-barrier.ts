import { type Descriptor, type KubeObject, keyOf, statusErrorIn } from "@pilothouse/api"
import { abortWith, type Clock, type Log, messageOf, PilothouseError } from "@pilothouse/seams"
import type { InformerScope } from "../../cache/informers.ts"
import { isInScope } from "../../cache/kind-scopes.ts"
import { hasReached } from "../../cache/resource-version.ts"
import type { Client } from "../../client/client.ts"
import { maxSilence } from "../../watch/idle-guard.ts"
import type { Caches } from "../caches.ts"
import type { ResolveKind } from "../plan/execute.ts"
import { isKubeOperation, type KubeOperation, type Result } from "../plan/plan.ts"
import { CacheConditions } from "./cache-conditions.ts"

/** How long a key waits in hand for its caches. Half-open watches are noticed after 90 s; what is left is for the list that mends them. */
const maxLag = maxSilence + 30_000

export interface WriteBarrierOptions {
  readonly caches: Caches
  readonly client: Client
  readonly resolve: ResolveKind
  readonly clock: Clock
  readonly log: Log
  /** Nothing is really written, so there is nothing to wait for. */
  readonly dryRun: boolean
}

/** What the caches have to show before a key is looked at again. */
interface UnobservedWrites {
  /** The newest resourceVersion written, by kind. */
  readonly versions: Map<Descriptor, string>
  /** Writes whose answer says no resourceVersion: their conditions in the object do. */
  readonly conditions: { readonly of: Descriptor; readonly key: string; holds(object: KubeObject | undefined): boolean }[]
  /** Kinds of which only the server can tell how far a cache has to come: an answer was lost, or a trace was not seen for too long. */
  readonly uncertain: Set<Descriptor>
  /** Kinds whose cache did not come to the version for too long: the server may have gone back to an older state. */
  readonly late: Set<Descriptor>
  /** Aborts when nobody has to wait for any of it any more. Made for whoever waits: hardly anybody does, and it is most of what an entry takes. */
  forgotten?: AbortController
}

/**
 * Remembers what a controller wrote for each key, and holds the next reconcile of the key back until the caches have seen it.
 * Without this a loop that is quicker than its watch would make the same pods twice.
 *
 * Always true between calls: a key has an entry from a write for it until its caches were seen to show that write, however long that takes.
 */
export class WriteBarrier {
  readonly #options: WriteBarrierOptions
  readonly #cacheConditions: CacheConditions
  /** Only kinds with a cache: nobody decides on the others. */
  readonly #unobserved = new Map<string, UnobservedWrites>()

  constructor(options: WriteBarrierOptions) {
    this.#options = options
    this.#cacheConditions = new CacheConditions(options.caches)
  }

  record(key: string, results: readonly Result[]): void {
    if (this.#options.dryRun) return
    for (const result of results) {
      if (!isKubeOperation(result.operation) || !mayBeWritten(result)) continue
      const of = this.#options.caches.known(result.operation.of ?? this.#options.resolve(result.operation.object))
      if (of === undefined || !isCached(result.operation, this.#options.caches.scopeOf(of))) continue
      if (result.ok === true) this.#written(this.#of(key), of, result.operation, result.object)
      else this.#of(key).uncertain.add(of)
    }
  }

  /** True: the caches show all that was written for the key. False: they do not, so it must not be looked at yet; ask again later. */
  async wait(key: string, signal: AbortSignal): Promise<boolean> {
    const unobserved = this.#unobserved.get(key)
    if (unobserved === undefined) return true
    const { clock, log, caches } = this.#options
    dropRemovedKinds(unobserved, caches)
    // As a rule a change that a cache showed has brought the key here, and with it came all that was written before.
    if (this.#isObserved(unobserved)) {
      this.#unobserved.delete(key)
      return true
    }
    const forgotten = (unobserved.forgotten ??= new AbortController()).signal
    const limit = new AbortController()
    const lags = () => new PilothouseError("TIMEOUT", `a cache has not shown our own write for ${maxLag / 1000} s`)
    using _timer = clock.timer(maxLag, `own writes of ${key}`, () => limit.abort(lags()))
    using _outer = abortWith(limit, signal)
    using _forgotten = abortWith(limit, forgotten)
    try {
      await this.#untilObserved(unobserved, limit.signal)
      this.#unobserved.delete(key)
      return true
    } catch (error) {
      if (signal.aborted) return false
      if (forgotten.aborted) return true
      if (limit.signal.aborted) doubt(unobserved)
      const why = messageOf(limit.signal.aborted ? limit.signal.reason : error)
      log.warn("the caches do not show our own writes yet, holding the key back until they do", { key, error: why })
      return false
    }
  }

  /** A cache has shown what was written for the key: nobody need wait for it, and what is remembered of it goes unless it says more. */
  observed(key: string): void {
    const unobserved = this.#unobserved.get(key)
    if (unobserved !== undefined && this.#isObserved(unobserved)) this.#unobserved.delete(key)
  }

  /** The kinds whose caches do not show what was written for the key; none once it has caught up. */
  lagging(key: string): readonly Descriptor[] {
    const unobserved = this.#unobserved.get(key)
    if (unobserved === undefined) return []
    const { versions, conditions, uncertain } = unobserved
    const late = [...versions].filter(([of, version]) => this.#isLagging(of, version)).map(([of]) => of)
    return [...new Set([...late, ...conditions.map(({ of }) => of), ...uncertain])]
  }

  /** The object is gone: nothing that was written for it matters any more, and whoever waits for it goes on at once. */
  forget(key: string): void {
    this.#unobserved.get(key)?.forgotten?.abort()
    this.#unobserved.delete(key)
  }

  #isLagging(of: Descriptor, version: string): boolean {
    const cache = this.#options.caches.of(of)
    return cache !== undefined && !hasReached(cache.store.resourceVersion, version)
  }

  /** Whether the caches show all of it now, and nobody has to be asked. */
  #isObserved({ versions, conditions, uncertain, late }: UnobservedWrites): boolean {
    if (uncertain.size > 0 || late.size > 0) return false
    for (const [of, version] of versions) if (this.#isLagging(of, version)) return false
    return conditions.every(({ of, key, holds }) => holds(this.#options.caches.of(of)?.store.get(key)))
  }

  #of(key: string): UnobservedWrites {
    const known = this.#unobserved.get(key)
    if (known !== undefined) return known
    const made: UnobservedWrites = { versions: new Map(), conditions: [], uncertain: new Set(), late: new Set() }
    this.#unobserved.set(key, made)
    return made
  }

  #written({ versions, conditions }: UnobservedWrites, of: Descriptor, operation: KubeOperation, answer: KubeObject | undefined): void {
    const holds = writtenCondition(operation)
    if (holds !== undefined) conditions.push({ of, key: keyOf(operation.object), holds })
    const version = answer?.metadata.resourceVersion
    const before = versions.get(of)
    if (version !== undefined && (before === undefined || !hasReached(before, version))) versions.set(of, version)
  }

  async #untilObserved(unobserved: UnobservedWrites, signal: AbortSignal): Promise<void> {
    const { caches } = this.#options
    await this.#askServer(unobserved, signal)
    await Promise.all([
      ...[...unobserved.versions].map(([of, version]) => caches.of(of)?.reached(version, signal)),
      ...unobserved.conditions.map(({ of, key, holds }) => this.#cacheConditions.until(of, key, holds, signal)),
    ])
  }

  /**
   * A write whose answer was lost is in the server's history by now, as a rule: a cache that has come this far knows. One that a server still works on
   * (a 504 of a proxy in front of it) may land later, and is then made twice: no client can tell that from a write that never was.
   */
  async #askServer({ versions, uncertain, late }: UnobservedWrites, signal: AbortSignal): Promise<void> {
    for (const of of new Set([...uncertain, ...late])) {
      const { namespace } = this.#options.caches.scopeOf(of)
      const { resourceVersion } = await this.#options.client.list(of, { namespace, limit: 1, metadataOnly: true, signal })
      const before = versions.get(of)
      // A version that the server has is kept: a cache that is always late would never come to one that moves.
      if (uncertain.has(of) || before === undefined || !hasReached(resourceVersion, before)) versions.set(of, resourceVersion)
      uncertain.delete(of)
      late.delete(of)
    }
  }
}

/** No cache of the scope ever shows a write in another namespace, nor an object that was made without its labels. */
function isCached(operation: KubeOperation, { namespace, labelSelector }: InformerScope): boolean {
  return isInScope(operation.object, operation.do === "create" ? { namespace, labelSelector } : { namespace })
}

/** A discovered kind may vanish: its cache will never show what was written, and nobody decides on it any more. */
function dropRemovedKinds({ versions, conditions, uncertain, late }: UnobservedWrites, caches: Caches): void {
  const isRemoved = (of: Descriptor) => caches.known(of) !== of
  for (const kinds of [versions, uncertain, late]) for (const of of kinds.keys()) if (isRemoved(of)) kinds.delete(of)
  conditions.splice(0, conditions.length, ...conditions.filter(({ of }) => !isRemoved(of)))
}

/**
 * After too long a wait the server has to say what to wait for. One that was restored from a backup never comes to the versions of its old
 * history, and what it brought back shows no trace; its newest version is good for both.
 */
function doubt({ versions, conditions, uncertain, late }: UnobservedWrites): void {
  for (const { of } of conditions.splice(0)) uncertain.add(of)
  for (const of of versions.keys()) late.add(of)
}

/** How a cache shows that an operation was carried out, where its answer does not say the resourceVersion of that. */
function writtenCondition(operation: KubeOperation): ((object: KubeObject | undefined) => boolean) | undefined {
  const { uid } = operation.object.metadata
  const gone = (object: KubeObject | undefined) => object === undefined || (uid !== undefined && object.metadata.uid !== uid)
  // Some servers answer a delete with the object as it was before: its resourceVersion says nothing.
  if (operation.do === "delete" || operation.do === "evict")
    return (object) => gone(object) || object?.metadata.deletionTimestamp !== undefined
  if (operation.do === "bind") return (object) => gone(object) || Boolean((object as { spec?: { nodeName?: string } }).spec?.nodeName)
  return undefined
}

/** What was refused is not there. It is not even asked for its kind: that may be what it was refused for. */
function mayBeWritten(result: Result): boolean {
  return result.ok === true || (result.ok === false && isLost(result.error))
}

/** Nobody knows whether the write was carried out. A 5xx says so too: a proxy gave up waiting, or the server failed after it had stored it. */
function isLost(error: unknown): boolean {
  if ((statusErrorIn(error)?.statusCode ?? 0) >= 500) return true
  return error instanceof PilothouseError && (error.code === "CONNECTION_LOST" || error.code === "TIMEOUT" || error.code === "ABORTED")
}
