import type { Expression } from "./ast.ts"

/** Returns a tree's nodes, parents before children. */
export function expressionsIn(node: Expression): Expression[] {
  return [node, ...childrenOf(node).flatMap(expressionsIn)]
}

/** Returns the nodes directly below a node, in the order of the text. */
export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case "literal":
    case "identifier":
      return []
    case "select":
      return [node.operand]
    case "call":
      return [...(node.target ? [node.target] : []), ...node.args]
    case "list":
      return node.elements
    case "map":
      return node.entries.flatMap(({ key, value }) => [key, value])
    case "object":
      return node.entries.map(({ value }) => value)
    case "comprehension":
      return [node.range, node.initial, node.condition, node.step, node.result]
  }
}
