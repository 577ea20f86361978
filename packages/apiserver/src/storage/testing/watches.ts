import type { Storage } from "../storage.ts"

/** The storage, and how many watches of it are open: what a test of leaks asks. */
export function countedWatches(storage: Storage): { readonly storage: Storage; open(): number } {
  const open = new Set<Disposable>()
  const watch = storage.watch.bind(storage)
  storage.watch = (...watched) => {
    const watching = watch(...watched)
    open.add(watching)
    return {
      [Symbol.dispose]() {
        open.delete(watching)
        watching[Symbol.dispose]()
      },
    }
  }
  return { storage, open: () => open.size }
}
