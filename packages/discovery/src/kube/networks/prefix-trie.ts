import { bitsIn, parseCidrOrIp, parseIp } from "@pilothouse/api/net"

interface Branch {
  readonly values: string[]
  readonly next: (Branch | undefined)[]
}

/**
 * Values by ranges of addresses: a look-up takes as many steps as an address has bits, however many ranges there are.
 *
 * Invariant: a value stands at the end of the path of its range's bits; #isEmpty while there is none.
 */
export class PrefixTrie {
  readonly #roots = { 4: branch(), 6: branch() }
  #isEmpty = true

  /** False: that is no range. */
  add(range: string, value: string): boolean {
    const block = parseCidrOrIp(range)
    if (block === undefined) return false
    this.#isEmpty = false
    let at = this.#roots[block.family]
    for (const bit of bits(block.family, block.base).slice(0, block.prefixLength)) {
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
    const parsed = this.#isEmpty ? undefined : parseIp(address)
    if (parsed === undefined) return []
    const found: string[] = []
    let at: Branch | undefined = this.#roots[parsed.family]
    for (const bit of [...bits(parsed.family, parsed.value), ""]) {
      if (at === undefined) break
      found.unshift(...at.values)
      at = bit === "" ? undefined : at.next[Number(bit)]
    }
    return found
  }
}

/** The path of an address: its bits as text, the highest first. */
function bits(family: 4 | 6, value: bigint): string {
  return value.toString(2).padStart(bitsIn(family), "0")
}

function branch(): Branch {
  return { values: [], next: [] }
}
