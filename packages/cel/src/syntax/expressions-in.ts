import type { Expression } from "./ast.ts"
import { type Issues, maxListedIssues } from "./source.ts"

/**
 * Calls `inspect` for a tree's nodes, parents before children; it returns false where the children are exempt. Macros use a part of the text
 * twice. It is walked again only if a fault was reported in it, as cel-go does: a chain of such macros doubles its tree with each link.
 */
export function inspectExpressions(tree: Expression, issues: Issues, inspect: (node: Expression) => boolean): void {
  const settled = new Set<Expression>()
  const walk = (node: Expression): void => {
    if (settled.has(node)) return
    const before = issues.size
    if (inspect(node)) for (const child of childrenOf(node)) walk(child)
    if (issues.size === before || issues.size >= maxListedIssues) settled.add(node)
  }
  walk(tree)
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
