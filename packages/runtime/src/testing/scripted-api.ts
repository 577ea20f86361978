import { badRequest, deepFreeze, expired, type KubeObject, keyOf, resourceVersionTooLarge, StatusError } from "@pilothouse/api"
import type { ConfigMap } from "@pilothouse/api/core/v1"
import {
  type Clock,
  PilothouseError,
  queryValue,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  valueBody,
} from "@pilothouse/seams"
import { ScriptedStream, type StreamFault } from "./scripted-stream.ts"

/** The fault of one request. */
export type RequestFault =
  | StreamFault
  | { readonly do: "refuse"; readonly error: StatusError }
  /** The connection is refused. */
  | { readonly do: "lose" }
  /** The request is never answered. */
  | { readonly do: "hang" }
  /** The watch opens and its first event is this failure. */
  | { readonly do: "error-event"; readonly error: StatusError }
  | { readonly do: "delay"; readonly milliseconds: number }

export type RequestKind = "list" | "watch" | "stream"

export interface ScriptedRequest {
  readonly kind: RequestKind
  readonly query: Readonly<Record<string, string>>
  readonly path: string
}

export interface ScriptedApiOptions {
  readonly clock: Clock
  /** Supports sendInitialEvents; true by default. */
  readonly streams?: boolean
  /** Honours the limit of a list at "0", as a server without a watch cache does. */
  readonly pagesZero?: boolean
  /** Sends JSON in chunks instead of values. */
  readonly wire?: boolean
  readonly bookmarks?: boolean
}

interface Logged {
  readonly revision: number
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly object: ConfigMap
}

/**
 * A small API server for ConfigMaps whose revisions, pages, bookmarks and faults a test controls.
 *
 * Invariant: objects is the state after the log; a stream was sent everything after its requested revision.
 */
export class ScriptedApi {
  readonly requests: ScriptedRequest[] = []
  readonly faults: { kind: RequestKind | "any"; fault: RequestFault }[] = []
  readonly #options: ScriptedApiOptions
  readonly #streams = new Set<ScriptedStream>()
  #objects = new Map<string, ConfigMap>()
  #log: Logged[] = []
  #revision = 0
  #compacted = 0
  #made = 0

  constructor(options: ScriptedApiOptions) {
    this.#options = options
  }

  get revision(): number {
    return this.#revision
  }

  get openWatches(): number {
    return this.#streams.size
  }

  /** Number of frames that were sent and not read yet. */
  get unread(): number {
    return [...this.#streams].reduce((sum, stream) => sum + stream.unread, 0)
  }

  /** What the server has, by key. */
  truth(): ReadonlyMap<string, ConfigMap> {
    return this.#objects
  }

  /** Creates or updates. */
  put(name: string, value = "", namespace = "default"): ConfigMap {
    const old = this.#objects.get(`${namespace}/${name}`)
    const revision = ++this.#revision
    const metadata = { name, namespace, uid: old?.metadata.uid ?? `uid-${++this.#made}`, resourceVersion: String(revision) }
    const object = deepFreeze<ConfigMap>({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { value } })
    this.#objects.set(keyOf(object), object)
    this.#append({ revision, type: old === undefined ? "ADDED" : "MODIFIED", object })
    return object
  }

  remove(name: string, namespace = "default"): void {
    const old = this.#objects.get(`${namespace}/${name}`)
    if (old === undefined) return
    const revision = ++this.#revision
    this.#objects.delete(keyOf(old))
    this.#append({
      revision,
      type: "DELETED",
      object: deepFreeze({ ...old, metadata: { ...old.metadata, resourceVersion: String(revision) } }),
    })
  }

  /** Another resource was written: the revision increases without an event. */
  elsewhere(): void {
    this.#revision++
  }

  /** Drops the history up to a revision, the newest by default. */
  compact(to: number = this.#revision): void {
    this.#compacted = Math.max(this.#compacted, to)
  }

  bookmark(): void {
    for (const stream of this.#streams) stream.send(bookmarkAt(this.#revision))
  }

  /** Sends a raw event to all watches. */
  sendAll(event: unknown): void {
    for (const stream of this.#streams) stream.send(event)
  }

  breakAll(): void {
    for (const stream of this.#streams) stream.break()
  }

  endAll(): void {
    for (const stream of this.#streams) stream.end()
  }

  /** Restarts from a backup: the state and the revision of an earlier time, and nothing of what came after. */
  restore(revision: number, how: "break" | "end" = "break"): void {
    this.#objects = this.#at(revision)
    this.#log = this.#log.filter((logged) => logged.revision <= revision)
    this.#revision = revision
    this.#compacted = Math.min(this.#compacted, revision)
    if (how === "break") this.breakAll()
    else this.endAll()
  }

  /** The next request of this kind fails like this. */
  next(kind: RequestKind | "any", ...faults: readonly RequestFault[]): void {
    for (const fault of faults) this.faults.push({ kind, fault })
  }

  readonly transport: Transport = async (request) => {
    const kind = kindOf(request)
    const query = Object.fromEntries(Object.keys(request.query).map((name) => [name, queryValue(request.query, name) ?? ""]))
    this.requests.push({ kind, query, path: request.path })
    const fault = this.#takeFault(kind)
    if (fault?.do === "delay") await this.#options.clock.sleep(fault.milliseconds, { signal: request.signal })
    if (fault?.do === "lose") throw new PilothouseError("CONNECTION_LOST", "connection refused")
    if (fault?.do === "hang") await hang(request.signal)
    try {
      if (fault?.do === "refuse") throw fault.error
      return kind === "list" ? this.#answer(this.#list(query)) : this.#watch(kind, query, request.signal, fault)
    } catch (error) {
      if (error instanceof StatusError) return { status: error.statusCode, headers: {}, body: valueBody(error.status) }
      throw error
    }
  }

  #takeFault(kind: RequestKind): RequestFault | undefined {
    const at = this.faults.findIndex((planned) => planned.kind === kind || planned.kind === "any")
    return at < 0 ? undefined : this.faults.splice(at, 1)[0]!.fault
  }

  #answer(value: unknown): TransportResponse {
    if (!this.#options.wire) return { status: 200, headers: {}, body: valueBody(value) }
    const bytes = new TextEncoder().encode(JSON.stringify(value))
    return { status: 200, headers: {}, body: { type: "bytes", bytes, contentType: "application/json" } }
  }

  #list({ resourceVersion = "", limit = "0", continue: token }: Readonly<Record<string, string>>): unknown {
    if (token !== undefined) return this.#page(this.#continued(token), Number(limit))
    const asked = Number(resourceVersion || "0")
    if (asked > this.#revision) throw resourceVersionTooLarge(resourceVersion, String(this.#revision))
    const limited = resourceVersion === "0" && !this.#options.pagesZero ? 0 : Number(limit)
    const exact = asked > 0 && limited > 0
    if (exact && asked < this.#compacted) throw expired("The resourceVersion for the provided list is too old.")
    return this.#page({ revision: exact ? asked : this.#revision, start: "" }, limited)
  }

  #continued(token: string): { revision: number; start: string } {
    const place: { revision: number; start: string } = JSON.parse(token)
    if (place.revision >= this.#compacted) return place
    const { status } = expired("The provided continue parameter is too old")
    throw new StatusError({ ...status, metadata: { continue: JSON.stringify({ ...place, revision: this.#revision }) } })
  }

  #page({ revision, start }: { revision: number; start: string }, limit: number): unknown {
    const all = [...this.#at(revision)].filter(([key]) => key > start).sort(([a], [b]) => (a < b ? -1 : 1))
    const page = limit > 0 ? all.slice(0, limit) : all
    const more = page.length < all.length ? { continue: JSON.stringify({ revision, start: page.at(-1)?.[0] ?? start }) } : {}
    return {
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: String(revision), ...more },
      items: page.map(([, object]) => object),
    }
  }

  #watch(kind: RequestKind, query: Readonly<Record<string, string>>, signal?: AbortSignal, fault?: RequestFault): TransportResponse {
    const since = Number(query.resourceVersion ?? "0")
    if (kind === "stream") this.#checkStream(since)
    const timers = new DisposableStack()
    const onEnd = () => {
      this.#streams.delete(stream)
      timers.dispose()
    }
    const broken = fault?.do === "cut" || fault?.do === "silence" ? fault : undefined
    const stream = new ScriptedStream({ signal, wire: this.#options.wire ?? false, fault: broken, onEnd })
    this.#streams.add(stream)
    if (signal?.aborted) onEnd()
    else if (fault?.do === "error-event") fail(stream, fault.error)
    else this.#begin(stream, timers, { kind, since, timeout: Number(query.timeoutSeconds ?? "3600") * 1000 })
    return { status: 200, headers: {}, body: { type: "stream", frames: stream } }
  }

  #checkStream(since: number): void {
    if (this.#options.streams === false) throw badRequest("sendInitialEvents is forbidden for watch")
    if (since > this.#revision) throw resourceVersionTooLarge(String(since), String(this.#revision))
  }

  #begin(stream: ScriptedStream, timers: DisposableStack, request: { kind: RequestKind; since: number; timeout: number }): void {
    const { clock, bookmarks = true } = this.#options
    const initial = request.kind === "stream" || request.since === 0
    if (!initial && request.since < this.#compacted)
      return fail(stream, expired(`too old resource version: ${request.since} (${this.#compacted})`))
    if (initial) for (const object of this.#objects.values()) stream.send({ type: "ADDED", object })
    if (request.kind === "stream") stream.send(bookmarkAt(this.#revision, { "k8s.io/initial-events-end": "true" }))
    if (!initial) for (const { revision, type, object } of this.#log) if (revision > request.since) stream.send({ type, object })
    timers.use(clock.timer(request.timeout, "scripted watch ends", () => stream.end()))
    const beat = (): Disposable =>
      clock.timer(60_000, "scripted bookmark", () => {
        if (bookmarks) stream.send(bookmarkAt(this.#revision))
        // Sending may have ended the stream.
        if (!timers.disposed) timers.use(beat())
      })
    timers.use(beat())
  }

  #append(logged: Logged): void {
    this.#log.push(logged)
    for (const stream of this.#streams) stream.send({ type: logged.type, object: logged.object })
  }

  #at(revision: number): Map<string, ConfigMap> {
    if (revision >= this.#revision) return this.#objects
    const objects = new Map<string, ConfigMap>()
    for (const { revision: when, type, object } of this.#log) {
      if (when > revision) break
      if (type === "DELETED") objects.delete(keyOf(object))
      else objects.set(keyOf(object), object)
    }
    return objects
  }
}

function kindOf({ query }: TransportRequest): RequestKind {
  if (queryValue(query, "watch") !== "true") return "list"
  return queryValue(query, "sendInitialEvents") === "true" ? "stream" : "watch"
}

function fail(stream: ScriptedStream, error: StatusError): void {
  stream.send({ type: "ERROR", object: error.status })
  stream.end()
}

function bookmarkAt(revision: number, annotations?: Readonly<Record<string, string>>): { type: "BOOKMARK"; object: KubeObject } {
  const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) }
  return { type: "BOOKMARK", object: { apiVersion: "v1", kind: "ConfigMap", metadata } }
}

function hang(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(new PilothouseError("ABORTED", "the operation was aborted", { cause: signal.reason })))
  })
}
