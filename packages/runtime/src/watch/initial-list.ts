import { isGone, type KubeObject, keyOf, StatusError } from "@pilothouse/api"
import { type Clock, type Log, PilothouseError } from "@pilothouse/seams"
import type { List } from "../client/client.ts"
import { defaultPageSize } from "../client/read-verbs.ts"
import type { WatchEvent } from "../client/wire/watch-stream.ts"
import type { OpenWatch } from "./open-watch.ts"
import type { WatchSource } from "./watch-source.ts"

const initialEventsEnd = "k8s.io/initial-events-end"

/** Milliseconds without an event after which a warning is logged. */
const warnAfter = 10_000

export interface StreamListOptions<T extends KubeObject> {
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  /** Transforms an object; undefined skips it. */
  keep(object: T): T | undefined
}

/** A complete initial state, read from a stream. */
export interface Streamed<T extends KubeObject> {
  readonly objects: readonly T[]
  readonly resourceVersion: string
}

/**
 * Reads a stream up to the bookmark that completes the initial state (the WatchList of client-go's reflector). Changes in between are applied,
 * so that the sink receives one complete state and never a part of one.
 */
export async function streamList<T extends KubeObject>(open: OpenWatch<T>, options: StreamListOptions<T>): Promise<Streamed<T>> {
  const objects = new Map<string, T>()
  using idle = warnWhenIdle(options)
  for (let event = await open.next(); event !== undefined; event = open.buffered() ?? (await open.next())) {
    idle.received()
    if (event.type === "ERROR") throw new StatusError(event.object)
    if (event.type !== "BOOKMARK") applyEvent(objects, event, options)
    else if (event.object.metadata.annotations?.[initialEventsEnd] === "true") {
      return { objects: [...objects.values()], resourceVersion: event.object.metadata.resourceVersion ?? "" }
    }
  }
  throw new PilothouseError("CONNECTION_LOST", `the watch of ${options.name} ended before its initial state was complete`)
}

function applyEvent<T extends KubeObject>(
  objects: Map<string, T>,
  event: WatchEvent<T> & { type: "ADDED" | "MODIFIED" | "DELETED" },
  { keep }: StreamListOptions<T>,
): void {
  const object = keep(event.object)
  if (object === undefined) return
  if (event.type === "DELETED") objects.delete(keyOf(object))
  else objects.set(keyOf(object), object)
}

function warnWhenIdle({
  clock,
  log,
  name,
}: Pick<StreamListOptions<KubeObject>, "clock" | "log" | "name">): Disposable & { received(): void } {
  let last = clock.elapsed()
  const arm = (): Disposable =>
    clock.timer(warnAfter, `${name}: initial state check`, () => {
      const silent = clock.elapsed() - last
      if (silent >= warnAfter)
        log.warn(`nothing was received for ${silent} ms while the initial state of ${name} is streamed`, { resource: name })
      timer = arm()
    })
  let timer = arm()
  return {
    received() {
      last = clock.elapsed()
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  }
}

export interface PageOptions<T extends KubeObject> {
  readonly resourceVersion: string
  /** Objects per page; 0 requests everything at once. */
  readonly limit: number
  readonly signal: AbortSignal
  /** Transforms an object; undefined skips it. */
  keep(object: T): T | undefined
  /** Called with the objects of each page. */
  page(items: readonly T[]): void
  /** Called before the list restarts from the beginning. */
  restart(): void
}

/** The end of a list in pages. */
export interface Listed {
  readonly resourceVersion: string
  readonly pages: number
}

/**
 * Returns the page size. A server answers "0" from its cache and ignores the limit; it can answer another version from its cache
 * only without a limit. So pages are requested where they help: for the newest state, and from a server that pages "0".
 */
export function pageSizeFor(resourceVersion: string, { pageSize, pagesZero }: { pageSize?: number; pagesZero: boolean }): number {
  if (pageSize !== undefined) return pageSize
  if (pagesZero || resourceVersion === "" || resourceVersion === "0") return defaultPageSize
  return 0
}

/**
 * Reads a list page by page: the list half of ListAndWatch. An expired continue token means that the pages would be of different times:
 * the list restarts in one piece, as in client-go's pager.
 */
export async function pageList<T extends KubeObject>(source: WatchSource<T>, options: PageOptions<T>): Promise<Listed> {
  const { resourceVersion, limit, signal, keep } = options
  const first = { resourceVersion: resourceVersion || undefined, signal, keep }
  let page: List<T> = await source.list({ ...first, limit: limit || undefined })
  options.page(page.items)
  for (let pages = 1; ; pages++) {
    if (page.continue === undefined) return { resourceVersion: page.resourceVersion, pages }
    try {
      page = await source.list({ limit: limit || undefined, continue: page.continue, signal, keep })
    } catch (error) {
      if (!isGone(error)) throw error
      options.restart()
      page = await source.list(first)
    }
    options.page(page.items)
  }
}
