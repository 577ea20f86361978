import { type Descriptor, type KubeObject, keyOf, statusErrorIn } from "@pilothouse/api"
import { abortWith, type Clock, type Log, messageOf, PilothouseError } from "@pilothouse/seams"
import type { InformerScope } from "../../cache/informers.ts"
import { isInScope } from "../../cache/kind-scopes.ts"
import type { Client } from "../../client/client.ts"
import { maxSilence } from "../../watch/idle-guard.ts"
import { hasReached } from "../../watch/resource-version.ts"
import type { Caches } from "../caches/caches.ts"
import type { ResolveKind } from "../plan/execute.ts"
import { isKubeOperation, type KubeOperation, type Result } from "../plan/plan.ts"
import { CacheConditions } from "./cache-conditions.ts"

/** Milliseconds a key waits for its caches. Half-open watches are detected after 90 s; the rest is for the relist that repairs them. */
const maxLag = maxSilence + 30_000

export interface WriteBarrierOptions {
  readonly caches: Caches
  readonly client: Client
  readonly resolve: ResolveKind
  readonly clock: Clock
  readonly log: Log
  /** Nothing is written, so there is nothing to wait for. */
  readonly dryRun: boolean
}

/** What the caches have to show before a key is reconciled again. */
interface UnobservedWrites {
  /** The newest written resourceVersion, by kind. */
  readonly versions: Map<Descriptor, string>
  /** Writes whose answer says no resourceVersion: their conditions in the object do. */
  readonly conditions: { readonly of: Descriptor; readonly key: string; holds(object: KubeObject | undefined): boolean }[]
  /** Kinds for which only the server knows the version to wait for: a response was lost, or a condition did not hold for too long. */
  readonly uncertain: Set<Descriptor>
  /** Kinds whose cache did not reach the version for too long: the server may have been restored to an older state. */
  readonly late: Set<Descriptor>
  /** Aborts when the key need not wait any more. Created by the first wait: few keys wait, and it is most of the memory of an entry. */
  forgotten?: AbortController
}

/**
 * Records what a controller wrote for each key, and delays the next reconcile of the key until the caches show it (read your own writes).
 * Without this a controller that is faster than its watch would create the same pods twice. Takes the place of the expectations of upstream's
 * controllers (ControllerExpectations): resourceVersions instead of counters of creates and deletes.
 *
 * Invariant: a key has an entry from a write for it until its caches show that write, however long that takes.
 */
export class WriteBarrier {
  readonly #options: WriteBarrierOptions
  readonly #cacheConditions: CacheConditions
  /** Only kinds with a cache: no decision reads the others. */
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

  /** Resolves with true when the caches show all writes of the key; with false when they do not in time: the key must not be reconciled yet. */
  async wait(key: string, signal: AbortSignal): Promise<boolean> {
    const unobserved = this.#unobserved.get(key)
    if (unobserved === undefined) return true
    const { clock, log, caches } = this.#options
    dropRemovedKinds(unobserved, caches)
    // Usually a change in a cache has enqueued the key, and that cache has all earlier writes, too.
    if (this.#isObserved(unobserved)) {
      this.#unobserved.delete(key)
      return true
    }
    const forgotten = (unobserved.forgotten ??= new AbortController()).signal
    const limit = new AbortController()
    const lags = () => new PilothouseError("TIMEOUT", `a cache has not shown the controller's own write for ${maxLag / 1000} s`)
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
      log.warn("the caches do not show the controller's own writes yet; the key is delayed until they do", { key, error: why })
      return false
    }
  }

  /** Called when a cache has shown a write of the key: the entry is dropped if nothing else is outstanding. */
  observed(key: string): void {
    const unobserved = this.#unobserved.get(key)
    if (unobserved !== undefined && this.#isObserved(unobserved)) this.#unobserved.delete(key)
  }

  /** Returns the kinds whose caches do not show the writes of the key yet. */
  lagging(key: string): readonly Descriptor[] {
    const unobserved = this.#unobserved.get(key)
    if (unobserved === undefined) return []
    const { versions, conditions, uncertain } = unobserved
    const late = [...versions].filter(([of, version]) => this.#isLagging(of, version)).map(([of]) => of)
    return [...new Set([...late, ...conditions.map(({ of }) => of), ...uncertain])]
  }

  /** Called when the object is deleted: its writes need not be waited for, and waiting callers continue at once. */
  forget(key: string): void {
    this.#unobserved.get(key)?.forgotten?.abort()
    this.#unobserved.delete(key)
  }

  #isLagging(of: Descriptor, version: string): boolean {
    const cache = this.#options.caches.of(of)
    return cache !== undefined && !hasReached(cache.store.resourceVersion, version)
  }

  /** Whether the caches show all of it, without a request to the server. */
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
   * A write whose response was lost is usually in the server's history by now: a cache at the server's version shows it. One that the server still processes
   * (a 504 of a proxy in front of it) may land later, and is then done twice: no client can distinguish that from a write that never happened.
   */
  async #askServer({ versions, uncertain, late }: UnobservedWrites, signal: AbortSignal): Promise<void> {
    for (const of of new Set([...uncertain, ...late])) {
      const { namespace } = this.#options.caches.scopeOf(of)
      const { resourceVersion } = await this.#options.client.list(of, { namespace, limit: 1, metadataOnly: true, signal })
      const before = versions.get(of)
      // A version that the server has reached is kept: a cache that always lags would never reach a moving one.
      if (uncertain.has(of) || before === undefined || !hasReached(resourceVersion, before)) versions.set(of, resourceVersion)
      uncertain.delete(of)
      late.delete(of)
    }
  }
}

/** No cache of the scope shows a write in another namespace, or a created object without the selected labels. */
function isCached(operation: KubeOperation, { namespace, labelSelector }: InformerScope): boolean {
  return isInScope(operation.object, operation.do === "create" ? { namespace, labelSelector } : { namespace })
}

/** A dynamic kind may be removed: its cache will never show the write, and no decision reads it any more. */
function dropRemovedKinds({ versions, conditions, uncertain, late }: UnobservedWrites, caches: Caches): void {
  const isRemoved = (of: Descriptor) => caches.known(of) !== of
  for (const kinds of [versions, uncertain, late]) for (const of of kinds.keys()) if (isRemoved(of)) kinds.delete(of)
  conditions.splice(0, conditions.length, ...conditions.filter(({ of }) => !isRemoved(of)))
}

/**
 * After too long a wait the server is asked for the version to wait for. One that was restored from a backup never reaches the versions of its old
 * history, and restored objects do not show the write; its newest version serves both cases.
 */
function doubt({ versions, conditions, uncertain, late }: UnobservedWrites): void {
  for (const { of } of conditions.splice(0)) uncertain.add(of)
  for (const of of versions.keys()) late.add(of)
}

/** Returns the condition by which a cache shows an operation whose response has no usable resourceVersion. */
function writtenCondition(operation: KubeOperation): ((object: KubeObject | undefined) => boolean) | undefined {
  const { uid } = operation.object.metadata
  const gone = (object: KubeObject | undefined) => object === undefined || (uid !== undefined && object.metadata.uid !== uid)
  // Some servers answer a delete with the object as it was before: its resourceVersion is useless.
  if (operation.do === "delete" || operation.do === "evict")
    return (object) => gone(object) || object?.metadata.deletionTimestamp !== undefined
  if (operation.do === "bind") return (object) => gone(object) || Boolean((object as { spec?: { nodeName?: string } }).spec?.nodeName)
  return undefined
}

/** A refused write has no effect. Its kind is not resolved: an unknown kind may be the reason. */
function mayBeWritten(result: Result): boolean {
  return result.ok === true || (result.ok === false && isLost(result.error))
}

/** Reports whether it is unknown if the write was done. True for 5xx: a proxy timed out, or the server failed after storing it. */
function isLost(error: unknown): boolean {
  if ((statusErrorIn(error)?.statusCode ?? 0) >= 500) return true
  return error instanceof PilothouseError && (error.code === "CONNECTION_LOST" || error.code === "TIMEOUT" || error.code === "ABORTED")
}
