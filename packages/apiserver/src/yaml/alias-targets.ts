import { type Alias, isAlias, isMap, isPair, isScalar, isSeq, type Scalar, type YAMLMap, type YAMLSeq } from "yaml"
import { YamlFault } from "./yaml-fault.ts"

export type Anchored = Scalar | YAMLMap | YAMLSeq

/**
 * Returns what each alias of a document stands for: the anchor of its name that was said last before it. One walk in the order of the text; looking each
 * up for itself walks the text for each, and 40 KB took 38 s. Throws YamlFault for a name that was not said.
 */
export function aliasTargets(root: unknown): ReadonlyMap<Alias, Anchored> {
  const anchors = new Map<string, Anchored>()
  const targets = new Map<Alias, Anchored>()
  const walk = (node: unknown): void => {
    if (isAlias(node)) return void targets.set(node, anchored(anchors, node))
    if (isPair(node)) {
      walk(node.key)
      return walk(node.value)
    }
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return
    // Before what is inside: an alias there means the whole, which contains itself then.
    if (node.anchor !== undefined) anchors.set(node.anchor, node)
    if (!isScalar(node)) for (const item of node.items) walk(item)
  }
  walk(root)
  return targets
}

function anchored(anchors: ReadonlyMap<string, Anchored>, { source }: Alias): Anchored {
  const target = anchors.get(source)
  if (target === undefined) throw new YamlFault(`yaml: unknown anchor '${source}' referenced`)
  return target
}
