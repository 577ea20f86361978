type Name = "SIGINT" | "SIGTERM" | "SIGHUP"
const names: readonly Name[] = ["SIGINT", "SIGTERM", "SIGHUP"]

/** What listens for signals in this process from now on. Tests share it with others, which must not receive them, nor find listeners that were left behind. */
export class Signals implements Disposable {
  readonly #others = new Map(names.map((name) => [name, new Set<unknown>(process.rawListeners(name))]))

  /** To those alone who came since. */
  send(name: Name): void {
    for (const listener of this.#since(name)) listener.call(process, name)
  }

  hasListener(name: Name): boolean {
    return this.#since(name).length > 0
  }

  [Symbol.dispose](): void {
    for (const name of names) for (const listener of this.#since(name)) process.removeListener(name, listener)
  }

  #since(name: Name): readonly ((...args: unknown[]) => void)[] {
    return (process.rawListeners(name) as ((...args: unknown[]) => void)[]).filter((one) => !this.#others.get(name)?.has(one))
  }
}
