import { apiVersionOf, type Descriptor, deepFreeze, type KubeObject, keyOf, type Status, StatusError } from "@pilothouse/api"
import type { Client, List, ListOptions, WatchEvent, WatchOptions } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"

interface Logged {
  readonly revision: number
  readonly kind: string
  readonly before: KubeObject | undefined
  readonly after: KubeObject | undefined
}

const expired: Status = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "too old resource version",
  reason: "Expired",
  code: 410,
}

type Seen = (object: KubeObject | undefined) => boolean

/**
 * A cluster in a few lines: objects that a test puts and removes, listed and watched as a server does.
 *
 * Invariant: the objects are what the log leads to, except for what was changed behind the watchers' backs.
 */
export class TestKube {
  readonly #objects = new Map<string, Map<string, KubeObject>>()
  readonly #log: Logged[] = []
  #revision = 0
  /** Watches that begin before it are refused. */
  #oldest = 0
  #told = Promise.withResolvers<void>()
  #cut = Promise.withResolvers<never>()
  /** While true nothing answers. */
  down = false

  readonly client: Pick<Client, "list" | "watch"> = {
    list: async <T extends KubeObject>(of: Descriptor<T>, options: ListOptions<T> = {}) => this.#list(of, options),
    watch: async <T extends KubeObject>(of: Descriptor<T>, options: WatchOptions = {}) => this.#watch(of, options),
  }

  put<T extends KubeObject>(object: T): T {
    return this.#put(object, true)
  }

  remove(object: KubeObject): void {
    const kind = kindOf(object)
    const before = this.#of(kind).get(keyOf(object))
    this.#of(kind).delete(keyOf(object))
    if (before !== undefined) this.#append({ kind, before, after: undefined })
  }

  /** Breaks every watch that is open; what happens until they are open again is not lost. */
  cutWatches(): void {
    this.#cut.promise.catch(() => {})
    this.#cut.reject(new PilothouseError("CONNECTION_LOST", "the server went away"))
    this.#cut = Promise.withResolvers()
  }

  /** A server that restarts: every watch breaks, and its history is gone. */
  restart(): void {
    this.#log.length = 0
    this.#oldest = ++this.#revision
    this.down = false
    this.cutWatches()
  }

  /** The object changes, or goes, and no watcher is notified. */
  changeUnseen(object: KubeObject, gone = false): void {
    if (gone) this.#of(kindOf(object)).delete(keyOf(object))
    else this.#put(object, false)
  }

  #put<T extends KubeObject>(object: T, told: boolean): T {
    const kind = kindOf(object)
    const before = this.#of(kind).get(keyOf(object))
    const { metadata } = object
    const uid = metadata.uid ?? before?.metadata.uid ?? `uid-${this.#revision + 1}`
    const stored = deepFreeze({ ...object, metadata: { ...metadata, uid, resourceVersion: String(++this.#revision) } }) as T
    this.#of(kind).set(keyOf(object), stored)
    if (told) this.#append({ kind, before, after: stored, revision: this.#revision })
    return stored
  }

  #append(logged: Omit<Logged, "revision"> & { readonly revision?: number }): void {
    this.#log.push({ revision: ++this.#revision, ...logged })
    this.#told.resolve()
    this.#told = Promise.withResolvers()
  }

  #of(kind: string): Map<string, KubeObject> {
    const known = this.#objects.get(kind)
    if (known !== undefined) return known
    const made = new Map<string, KubeObject>()
    this.#objects.set(kind, made)
    return made
  }

  async #list<T extends KubeObject>(of: Descriptor<T>, options: ListOptions<T>): Promise<List<T>> {
    await this.#answers(options.signal)
    const items = [...this.#of(`${apiVersionOf(of)} ${of.kind}`).values()].filter(seenBy(options)) as unknown as readonly T[]
    return { items, resourceVersion: String(this.#revision) } as List<T>
  }

  async #watch<T extends KubeObject>(of: Descriptor<T>, options: WatchOptions): Promise<AsyncIterable<WatchEvent<T>>> {
    await this.#answers(options.signal)
    if (options.sendInitialEvents !== true && Number(options.resourceVersion ?? "0") < this.#oldest) throw new StatusError(expired)
    return this.#events(`${apiVersionOf(of)} ${of.kind}`, options) as AsyncIterable<WatchEvent<T>>
  }

  async *#events(kind: string, options: WatchOptions): AsyncGenerator<WatchEvent> {
    const seen = seenBy(options)
    const cut = this.#cut.promise
    let since = Number(options.resourceVersion ?? "0")
    if (options.sendInitialEvents) {
      const present = [...this.#of(kind).values()].filter(seen)
      since = this.#revision
      for (const object of present) yield { type: "ADDED", object }
      yield bookmark(since)
    }
    while (options.signal?.aborted !== true) {
      const told = this.#told.promise
      const news = this.#log.filter((logged) => logged.revision > since && logged.kind === kind)
      since = Math.max(since, this.#revision)
      for (const logged of news) {
        const event = eventOf(logged, seen)
        if (event !== undefined) yield event
      }
      if (news.length === 0) await Promise.race([told, cut, abortedOf(options.signal)])
    }
  }

  async #answers(signal: AbortSignal | undefined): Promise<void> {
    if (!this.down) return
    await abortedOf(signal)
    throw new PilothouseError("CONNECTION_LOST", "the server does not answer")
  }
}

function eventOf({ before, after, revision }: Logged, seen: Seen): WatchEvent | undefined {
  const [was, is] = [seen(before), seen(after)]
  if (is) return { type: was ? "MODIFIED" : "ADDED", object: after! }
  if (!was) return undefined
  return { type: "DELETED", object: { ...before!, metadata: { ...before!.metadata, resourceVersion: String(revision) } } }
}

function seenBy({ namespace, fieldSelector = "" }: { readonly namespace?: string; readonly fieldSelector?: string }): Seen {
  const [, name] = /^metadata\.name=(.*)$/.exec(fieldSelector) ?? []
  return (object) => {
    if (object === undefined || (namespace !== undefined && object.metadata.namespace !== namespace)) return false
    if (name !== undefined) return object.metadata.name === name
    return fieldSelector !== "status.phase!=Failed" || phaseOf(object) !== "Failed"
  }
}

function phaseOf(object: KubeObject & { readonly status?: { readonly phase?: string } }): string | undefined {
  return object.status?.phase
}

function kindOf({ apiVersion, kind }: KubeObject): string {
  return `${apiVersion} ${kind}`
}

function bookmark(revision: number): WatchEvent {
  const annotations = { "k8s.io/initial-events-end": "true" }
  return { type: "BOOKMARK", object: { apiVersion: "v1", kind: "Bookmark", metadata: { resourceVersion: String(revision), annotations } } }
}

function abortedOf(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    signal?.addEventListener("abort", () => resolve(), { once: true })
  })
}
