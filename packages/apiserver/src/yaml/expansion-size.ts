import { type Alias, isAlias, isMap, isPair, isScalar, isSeq } from "yaml"
import type { Anchored } from "./alias-targets.ts"

/** How many nodes a document has when each alias is read as what it stands for, and how many of them are read inside of an alias. */
export interface ExpansionSize {
  readonly nodes: number
  readonly aliased: number
}

/** Beyond every limit: ten levels of ten aliases each have more nodes than a number counts exactly. */
const max = 1e12

/**
 * The size of a document without expanding it: what an anchor stands for is counted once, so it takes as long as the text is. Undefined where an
 * anchor contains itself. Counts as the reader does: one for each value, each key and each map that is merged.
 */
export function expansionSize(root: unknown, targets: Pick<ReadonlyMap<Alias, Anchored>, "get">): ExpansionSize | undefined {
  const sizes = new Map<Anchored, ExpansionSize>()
  const open = new Set<Anchored>()
  const sizeOf = (node: unknown): ExpansionSize => {
    if (isAlias(node)) return sizeOfAlias(node)
    if (isSeq(node)) return sum(1, node.items.map(sizeOf))
    return isMap(node) ? sum(1, node.items.map(sizeOfPair)) : { nodes: 1, aliased: 0 }
  }
  const sizeOfAlias = (alias: Alias): ExpansionSize => {
    const target = targets.get(alias)!
    const { nodes } = sizes.get(target) ?? sizeOfTarget(target)
    return { nodes: nodes + 1, aliased: nodes }
  }
  const sizeOfTarget = (target: Anchored): ExpansionSize => {
    if (open.has(target)) throw new ContainsItself()
    open.add(target)
    const size = sizeOf(target)
    open.delete(target)
    sizes.set(target, size)
    return size
  }
  const sizeOfPair = (pair: unknown): ExpansionSize => {
    if (!isPair(pair)) return { nodes: 0, aliased: 0 }
    const isMerge = isScalar(pair.key) && pair.key.type === "PLAIN" && pair.key.value === "<<"
    if (!isMerge) return sum(1, [sizeOf(pair.value)])
    return isSeq(pair.value) ? sum(0, pair.value.items.map(sizeOf)) : sizeOf(pair.value)
  }
  try {
    return sizeOf(root)
  } catch (error) {
    if (error instanceof ContainsItself) return undefined
    throw error
  }
}

/** Not reported here: the reader names the anchor. */
class ContainsItself extends Error {}

function sum(own: number, sizes: readonly ExpansionSize[]): ExpansionSize {
  let [nodes, aliased] = [own, 0]
  for (const size of sizes) {
    nodes += size.nodes
    aliased += size.aliased
  }
  return { nodes: Math.min(nodes, max), aliased: Math.min(aliased, max) }
}
