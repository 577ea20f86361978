/** Lifecycle events of a watcher, for display and tests. */
export type WatcherEvent =
  /** A watch is open: changes come as they happen. */
  | { readonly type: "connected"; readonly resourceVersion: string }
  /** The watch ended; `error` is missing where the server ended it as agreed. */
  | { readonly type: "disconnected"; readonly resourceVersion: string; readonly error?: unknown }
  /** The sink received the complete state. `again` when it had one before. */
  | {
      readonly type: "listed"
      readonly by: "stream" | "pages"
      readonly count: number
      readonly resourceVersion: string
      readonly again: boolean
    }
  /** A request failed, and the watcher waits before it continues. */
  | { readonly type: "waiting"; readonly milliseconds: number; readonly before: string }

/** Called with the events of a watcher. */
export type WatcherObserver = (event: WatcherEvent) => void
