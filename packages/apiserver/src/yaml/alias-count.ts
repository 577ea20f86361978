import type { ExpansionSize } from "./expansion-size.ts"
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
    refuseExcess({ nodes: this.#nodes, aliased: this.#aliased })
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

/** Throws YamlFault where too many of the nodes come of aliases. */
export function refuseExcess({ nodes, aliased }: ExpansionSize): void {
  if (aliased <= 100 || nodes <= 1000 || aliased / nodes <= allowedShare(nodes)) return
  throw new YamlFault("yaml: document contains excessive aliasing")
}

function allowedShare(nodes: number): number {
  if (nodes <= few) return 0.99
  if (nodes >= many) return 0.1
  return 0.99 - (0.89 * (nodes - few)) / (many - few)
}
