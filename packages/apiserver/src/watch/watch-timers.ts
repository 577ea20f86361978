import type { ListOptions } from "../request/list-options.ts"
import type { Server } from "../server/server.ts"

const bookmarkEvery = 60_000
/** So long before the end comes the last bookmark, for the client to go on from. */
const lastBookmark = 2000
/** A watch that names no end gets one between this and twice this. */
const defaultLength = 30 * 60_000

interface Actions {
  bookmark(): void
  end(): void
}

/** The end of a watch, and the bookmarks until then where the client asked for them. */
export function startTimers(
  { clock, random }: Pick<Server, "clock" | "random">,
  options: ListOptions,
  { bookmark, end }: Actions,
): Disposable {
  const held = new DisposableStack()
  const length = (options.timeoutSeconds ?? 0) > 0 ? (options.timeoutSeconds ?? 0) * 1000 : defaultLength * (1 + random.next())
  held.use(clock.timer(length, "end of a watch", end))
  if (!options.allowWatchBookmarks) return held
  if (length > lastBookmark) held.use(clock.timer(length - lastBookmark, "last bookmark of a watch", bookmark))
  held.use(every(clock, bookmarkEvery, bookmark))
  return held
}

function every(clock: Server["clock"], period: number, action: () => void): Disposable {
  let timer: Disposable
  const start = () => {
    timer = clock.timer(period, "bookmark of a watch", () => {
      start()
      action()
    })
  }
  start()
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() }
}
