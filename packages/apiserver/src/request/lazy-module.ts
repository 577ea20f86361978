import type { Clock } from "@pilothouse/seams"

/** A module that is loaded when the first request needs it, so that a server which is never asked for it starts without. */
export interface LazyModule<M> {
  /** Loads it; undefined where it is there already. */
  load(clock: Clock): Promise<void> | undefined
  /** Returns the module that `load` has loaded. */
  loaded(): M
}

/** Returns a module that is imported at most once for all servers of a process. */
export function lazyModule<M>(name: string, load: () => Promise<M>): LazyModule<M> {
  let found: M | undefined
  return {
    load: (clock) =>
      found === undefined ? clock.external(load(), `loading the ${name}`).then((module) => void (found = module)) : undefined,
    loaded() {
      if (found === undefined) throw new Error(`expected the ${name} to be loaded, found it is not; await its load()`)
      return found
    },
  }
}
