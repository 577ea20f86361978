/** What a watcher says about itself, to whoever shows or tests it. */
export type WatcherEvent =
  /** A watch is open: changes come as they happen. */
  | { readonly type: "connected"; readonly resourceVersion: string }
  /** The watch is over; `error` is missing where the server ended it as agreed. */
  | { readonly type: "disconnected"; readonly resourceVersion: string; readonly error?: unknown }
  /** The sink was given the whole state. `again` when it had one before. */
  | {
      readonly type: "listed"
      readonly by: "stream" | "pages"
      readonly count: number
      readonly resourceVersion: string
      readonly again: boolean
    }
  /** Something failed, and the watcher lets time pass before it goes on. */
  | { readonly type: "waiting"; readonly milliseconds: number; readonly before: string }

/** Told of what a watcher goes through. */
export type WatcherObserver = (event: WatcherEvent) => void
