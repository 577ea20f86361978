import { isGone, type KubeObject } from "@pilothouse/api"
import type { List } from "../client/client.ts"
import { defaultPageSize } from "../client/read-verbs.ts"
import type { WatchSource } from "./watch-source.ts"

export interface PageOptions<T extends KubeObject> {
  readonly resourceVersion: string
  /** Objects per page; 0 asks for everything at once. */
  readonly limit: number
  readonly signal: AbortSignal
  /** What to keep of an object; undefined skips it. */
  keep(object: T): T | undefined
  /** Called with what was kept of each page as it comes. */
  page(items: readonly T[]): void
  /** Called before a list starts again from its beginning. */
  restart(): void
}

export interface Listed {
  readonly resourceVersion: string
  readonly pages: number
}

/**
 * How many objects to ask for at once. A server answers "0" from its cache and ignores the limit; it can answer another version from its cache
 * only where no limit is given. So pages are asked for where they help: for the newest state, and from a server that has been seen to page "0".
 */
export function pageSizeFor(resourceVersion: string, { pageSize, pagesZero }: { pageSize?: number; pagesZero: boolean }): number {
  if (pageSize !== undefined) return pageSize
  if (pagesZero || resourceVersion === "" || resourceVersion === "0") return defaultPageSize
  return 0
}

/**
 * Reads a list page by page. A token that has expired on the way means that the pages would be of different times:
 * the list starts again, in one piece, as client-go's pager does.
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
