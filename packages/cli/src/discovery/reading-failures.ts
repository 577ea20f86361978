import { type Log, logTo } from "@pilothouse/seams"

/** Remembers why a cluster could not be read, for somebody who waits for it and sees no log. */
export class ReadingFailures {
  readonly #failed = new Map<string, string>()

  /** What is said of each resource; the last failure of it counts. */
  readonly log: Log = logTo(({ fields: { resource, error } }) => {
    if (typeof resource === "string" && typeof error === "string") this.#failed.set(resource, error)
  })

  /** "no answer", or which resources failed, and why the first did. */
  toString(): string {
    const [first] = this.#failed.values()
    return first === undefined ? "no answer" : `${[...this.#failed.keys()].join(", ")} not read: ${first}`
  }
}
