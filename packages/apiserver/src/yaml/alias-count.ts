import { YamlFault } from "./yaml-fault.ts"

const [few, many] = [400_000, 4_000_000]

/**
 * Keeps a small text from becoming a huge object by aliases of aliases, by Go's measure: of few nodes nearly all may come of aliases, of many
 * only a tenth. Between calls: `#aliased` of `#nodes` nodes were read inside of an alias.
 */
export class AliasCount {
  #nodes = 0
  #aliased = 0
  #depth = 0

  node(): void {
    this.#nodes++
    if (this.#depth > 0) this.#aliased++
    if (this.#aliased > 100 && this.#nodes > 1000 && this.#aliased / this.#nodes > allowedShare(this.#nodes)) {
      throw new YamlFault("yaml: document contains excessive aliasing")
    }
  }

  inAlias<T>(read: () => T): T {
    this.#depth++
    try {
      return read()
    } finally {
      this.#depth--
    }
  }
}

function allowedShare(nodes: number): number {
  if (nodes <= few) return 0.99
  if (nodes >= many) return 0.1
  return 0.99 - (0.89 * (nodes - few)) / (many - few)
}
