import { isGone, type KubeObject } from "@pilothouse/api"
import type { List } from "../client/client.ts"
import { defaultPageSize } from "../client/read-verbs.ts"
import type { WatchSource } from "./watch-source.ts"

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
 * Reads a list page by page. An expired continue token means that the pages would be of different times:
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
