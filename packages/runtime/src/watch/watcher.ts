import { apiVersionOf, type Descriptor, type KubeObject, keyOf, resourceNameOf, statusErrorIn } from "@pilothouse/api"
import { type Clock, type Log, type Metrics, messageOf, PilothouseError, type Random } from "@pilothouse/seams"
import type { WatchOptions } from "../client/wire/options.ts"
import { withType } from "../client/wire/response.ts"
import { afterFailure, type Failing, isUnset, rejectsStreams, relist } from "./after-failure.ts"
import { Backoff } from "./backoff.ts"
import { IdleGuard } from "./idle-guard.ts"
import { pageList, pageSizeFor, streamList } from "./initial-list.ts"
import { OpenWatch } from "./open-watch.ts"
import { isBehind, readWatch } from "./read-watch.ts"
import type { WatchSink } from "./watch-sink.ts"
import type { WatchSource } from "./watch-source.ts"
import type { WatcherEvent, WatcherObserver } from "./watcher-events.ts"
import { watcherMetrics } from "./watcher-metrics.ts"
import type { ListState, ProbeState, StreamState, WaitState, WatcherState, WatchState } from "./watcher-state.ts"

export interface WatcherOptions<T extends KubeObject> {
  readonly of: Descriptor<T>
  readonly source: WatchSource<T>
  readonly sink: WatchSink<T>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics?: Metrics
  /** Transforms each object once; must be idempotent. */
  readonly transform?: (object: T) => T
  /** Called when the watcher connects, disconnects, lists and waits. */
  readonly observe?: WatcherObserver
  /** Objects per page of a list; client-go's rules by default. */
  readonly pageSize?: number
  /** False never asks for streaming lists. */
  readonly streams?: boolean
}

/** Milliseconds. A large list may take long to create and to send, but not longer than this. */
const maxListTime = 300_000
const shortWatch = 1000
/** Milliseconds after which a watch counts as healthy: a server without bookmarks loses every quiet one by silence. */
const healthyWatch = 30_000

/**
 * Keeps a sink equal to what the server has, until its signal aborts: ListAndWatch of client-go's Reflector as a state machine.
 *
 * Invariant: the sink is at #known (undefined: it has nothing); no request is open, except the one in the state.
 */
export class Watcher<T extends KubeObject> {
  readonly #options: WatcherOptions<T>
  readonly #name: string
  readonly #backoff: Backoff
  readonly #metrics: WatcherObserver
  readonly #keep: (object: T) => T | undefined
  #known: string | undefined
  #streams: boolean
  /** The server answers "0" in pages, so it has no watch cache, and pages cost nothing. */
  #pagesZero = false

  constructor(options: WatcherOptions<T>) {
    const { of, clock, random, log, metrics, transform } = options
    const expected = expectKind(of, log)
    this.#options = options
    this.#name = resourceNameOf(of)
    this.#backoff = new Backoff(clock, random)
    this.#metrics = watcherMetrics({ name: this.#name, clock, metrics })
    this.#streams = options.streams ?? true
    this.#keep = (object) => {
      const typed = expected(object)
      return typed === undefined || transform === undefined ? typed : transform(typed)
    }
  }

  /** Ends only when the signal does. */
  async run(signal: AbortSignal): Promise<void> {
    let state: WatcherState<T> = this.#streams ? relist("", { streams: true }) : { at: "list", resourceVersion: "0" }
    while (!signal.aborted) state = await this.#step(state, signal)
    if (state.at === "watch") state.open?.[Symbol.dispose]()
  }

  async #step(state: WatcherState<T>, signal: AbortSignal): Promise<WatcherState<T>> {
    switch (state.at) {
      case "stream":
        return this.#orFailure(state, signal, () => this.#stream(state, signal))
      case "list":
        return this.#orFailure(state, signal, () => this.#list(state, signal))
      case "watch":
        return this.#watch(state, signal)
      case "probe":
        return this.#orFailure(state, signal, () => this.#probe(state, signal))
      case "wait":
        return this.#wait(state, signal)
    }
  }

  async #stream({ resourceVersion }: StreamState, signal: AbortSignal): Promise<WatcherState<T>> {
    const { sink } = this.#options
    const initial = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" } as const
    const open = await this.#open({ ...initial, resourceVersion: resourceVersion || undefined }, signal)
    try {
      const streamed = await streamList(open, { ...this.#options, name: this.#name, keep: this.#keep })
      sink.replace(streamed.objects, streamed.resourceVersion)
      this.#listed("stream", streamed.objects.length, streamed.resourceVersion)
      return { at: "watch", resourceVersion: streamed.resourceVersion, open, failures: 0 }
    } catch (error) {
      open[Symbol.dispose]()
      throw error
    }
  }

  async #list({ resourceVersion }: ListState, signal: AbortSignal): Promise<WatcherState<T>> {
    const { source, sink, clock, pageSize } = this.#options
    using guard = new IdleGuard({ clock, name: `the list of ${this.#name}`, outer: signal, silence: maxListTime })
    const objects: T[] = []
    const listing = pageList(source, {
      resourceVersion,
      limit: pageSizeFor(resourceVersion, { pageSize, pagesZero: this.#pagesZero }),
      signal: guard.signal,
      keep: this.#keep,
      page: (items) => {
        guard.touch()
        for (const item of items) objects.push(item)
      },
      restart: () => objects.splice(0),
    })
    const listed = await listing.catch((error: unknown) => {
      throw guard.lost ?? error
    })
    if (resourceVersion === "0" && listed.pages > 1) this.#pagesZero = true
    sink.replace(objects, listed.resourceVersion)
    this.#listed("pages", objects.length, listed.resourceVersion)
    return { at: "watch", resourceVersion: listed.resourceVersion, failures: 0 }
  }

  /** Handles its own failures, because it knows the last resourceVersion. */
  async #watch(state: WatchState<T>, signal: AbortSignal): Promise<WatcherState<T>> {
    const { clock, sink } = this.#options
    const { resourceVersion: since, failures } = state
    const started = clock.elapsed()
    let open: OpenWatch<T>
    try {
      open = state.open ?? (await this.#open({ resourceVersion: since || undefined }, signal))
    } catch (error) {
      return signal.aborted ? state : this.#failed({ at: "watch", resourceVersion: since, failures }, error, true)
    }
    this.#emit({ type: "connected", resourceVersion: since })
    const { known, error } = await readWatch(open, { name: this.#name, sink, keep: this.#keep, since })
    open[Symbol.dispose]()
    this.#known = known
    this.#emit({ type: "disconnected", resourceVersion: known, error })
    const next = { at: "watch", resourceVersion: known, failures: known === since ? failures : 0 } as const
    const lived = clock.elapsed() - started
    const short = known === since && lived < shortWatch
    if (signal.aborted) return next
    if (error !== undefined || short) {
      const after = this.#failed(next, error ?? this.#tooShort(), short)
      return lived > healthyWatch ? this.#withoutWait(after) : after
    }
    if (isUnset(known)) return relist("", { streams: this.#streams })
    // A watch that ended early has probably lost its server, and the next server may be another one.
    return clock.elapsed() < open.deadline ? { at: "probe", resourceVersion: known } : next
  }

  async #probe({ resourceVersion }: ProbeState, signal: AbortSignal): Promise<WatcherState<T>> {
    const { source, clock } = this.#options
    using guard = new IdleGuard({ clock, name: `the list of ${this.#name}`, outer: signal })
    const page = await source.list({ limit: 1, signal: guard.signal }).catch((error: unknown) => {
      throw guard.lost ?? error
    })
    if (!isBehind(page.resourceVersion, resourceVersion)) return { at: "watch", resourceVersion, failures: 0 }
    const { log } = this.#options
    log.warn(`the server of ${this.#name} is behind its earlier state: it was restored or restarted; its current state is used`, {
      resource: this.#name,
      known: resourceVersion,
      server: page.resourceVersion,
    })
    return relist("", { streams: this.#streams })
  }

  /** Without the wait, unless the server asked for one. */
  #withoutWait(state: WatcherState<T>): WatcherState<T> {
    this.#backoff.reset()
    return state.at === "wait" && state.atLeast === 0 ? state.before : state
  }

  async #wait({ before, atLeast }: WaitState<T>, signal: AbortSignal): Promise<WatcherState<T>> {
    const milliseconds = Math.max(this.#backoff.delay(), atLeast)
    this.#emit({ type: "waiting", milliseconds, before: before.at })
    // The signal ends the wait; run() checks it.
    await this.#options.clock.sleep(milliseconds, { signal, name: `${this.#name}: ${before.at} again` }).catch(() => {})
    return before
  }

  #open(options: WatchOptions, signal: AbortSignal): Promise<OpenWatch<T>> {
    const { source, clock } = this.#options
    const opening = { source, clock, name: `the watch of ${this.#name}`, outer: signal }
    return OpenWatch.open(opening, { allowWatchBookmarks: true, timeoutSeconds: this.#timeoutSeconds(), ...options })
  }

  async #orFailure(state: Failing<T>, signal: AbortSignal, work: () => Promise<WatcherState<T>>): Promise<WatcherState<T>> {
    try {
      return await work()
    } catch (error) {
      return signal.aborted ? state : this.#failed(state, error, false)
    }
  }

  #failed(state: Failing<T>, error: unknown, short: boolean): WatcherState<T> {
    if (state.at === "stream" && rejectsStreams(error)) this.#streams = false
    const next = afterFailure(state, error, { streams: this.#streams, known: this.#known, short })
    const nextState = next.at === "wait" ? next.before.at : next.at
    const fields = { resource: this.#name, state: state.at, next: nextState, error: advised(error) }
    this.#options.log.warn(`${state.at} of ${this.#name} failed, continuing`, fields)
    return next
  }

  #listed(by: "stream" | "pages", count: number, resourceVersion: string): void {
    this.#emit({ type: "listed", by, count, resourceVersion, again: this.#known !== undefined })
    this.#known = resourceVersion
  }

  #emit(event: WatcherEvent): void {
    this.#metrics(event)
    try {
      this.#options.observe?.(event)
    } catch (error) {
      this.#options.log.error(`the observer of the watcher of ${this.#name} threw; the watcher continues`, { error: messageOf(error) })
    }
  }

  #tooShort(): PilothouseError {
    return new PilothouseError("CONNECTION_LOST", `the watch of ${this.#name} ended within a second and brought nothing`)
  }

  /** 5 to 10 minutes: long enough to be cheap, and spread so that not all watches end together. */
  #timeoutSeconds(): number {
    return Math.floor(300 * (1 + this.#options.random.next()))
  }
}

/** "Unauthorized" and "forbidden" repeat until a user acts: each message says what to do. */
function advised(error: unknown): string {
  const code = statusErrorIn(error)?.statusCode
  if (code === 401)
    return `${messageOf(error)}: the server does not accept the credentials; check token or certificate of the user in the kubeconfig`
  if (code === 403) return `${messageOf(error)}; allow list and watch in a Role or ClusterRole of this user`
  return messageOf(error)
}

/**
 * Passes objects of the expected kind, with their type filled in, and logs others: a Table from a server that was asked for one
 * by a proxy, or another version from a broken aggregated server. One unexpected object must not lose all others.
 */
function expectKind<T extends KubeObject>(of: Descriptor<T>, log: Log): (object: T) => T | undefined {
  const apiVersion = apiVersionOf(of)
  return (object) => {
    const typed = isObject(object) ? withType(of, object) : undefined
    if (typed?.kind === of.kind && typed.apiVersion === apiVersion && isObject(typed.metadata)) return typed
    log.error(`expected objects of ${apiVersion} ${of.kind} from the server, skipped something else`, {
      resource: resourceNameOf(of),
      found: typed === undefined ? String(object) : `${typed.apiVersion} ${typed.kind}`,
      key: isObject(typed?.metadata) ? keyOf(typed) : undefined,
    })
    return undefined
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}
