import { parseAddress, parseRange } from "./ip-address.ts"

interface Branch {
  readonly values: string[]
  readonly next: (Branch | undefined)[]
}

/**
 * Values by ranges of addresses: a look-up takes as many steps as an address has bits, however many ranges there are.
 *
 * Always true between calls: a value stands at the end of the path of its range's bits; #isEmpty while there is none.
 */
export class PrefixTrie {
  readonly #roots = { 4: branch(), 6: branch() }
  #isEmpty = true

  /** False: that is no range. */
  add(range: string, value: string): boolean {
    const prefix = parseRange(range)
    if (prefix === undefined) return false
    this.#isEmpty = false
    let at = this.#roots[prefix.family]
    for (const bit of prefix.bits) {
      const way = Number(bit)
      at.next[way] ??= branch()
      at = at.next[way]!
    }
    at.values.push(value)
    return true
  }

  /** The values of all the ranges that contain the address, the smallest range first. */
  containing(address: string): readonly string[] {
    // Most meshes have no ranges at all, and every endpoint asks.
    const parsed = this.#isEmpty ? undefined : parseAddress(address)
    if (parsed === undefined) return []
    const found: string[] = []
    let at: Branch | undefined = this.#roots[parsed.family]
    for (const bit of [...parsed.bits, ""]) {
      if (at === undefined) break
      found.unshift(...at.values)
      at = bit === "" ? undefined : at.next[Number(bit)]
    }
    return found
  }
}

function branch(): Branch {
  return { values: [], next: [] }
}
