import { visitorKeys } from "oxc-parser"

/** A node of the syntax tree, as far as a rule that does not know its type can tell. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** Calls `visit` for every node with its parents, nearest first; what it answers false for is not gone into. */
export function walk(node: unknown, visit: (node: Node, parents: readonly Node[]) => boolean | void): void {
  step(node as Node, [], visit)
}

function step(node: Node, parents: Node[], visit: (node: Node, parents: readonly Node[]) => boolean | void): void {
  if (visit(node, parents) === false) return
  parents.unshift(node)
  for (const key of visitorKeys[node.type] ?? []) {
    const child = node[key]
    if (Array.isArray(child)) {
      for (const one of child) if (isNode(one)) step(one, parents, visit)
    } else if (isNode(child)) step(child, parents, visit)
  }
  parents.shift()
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value
}

/** The name of an identifier node. */
export function nameOf(value: unknown): string | undefined {
  return isNode(value) && value.type === "Identifier" && typeof value.name === "string" ? value.name : undefined
}

/** The property of `object.property` and `object["property"]`. */
export function propertyOf(member: Node): string | undefined {
  if (!member.computed) return nameOf(member.property)
  return isNode(member.property) && typeof member.property.value === "string" ? member.property.value : undefined
}

/** The names that a pattern binds: `{ a, b: [c] }` binds a and c. */
export function boundNames(pattern: unknown): string[] {
  if (!isNode(pattern)) return []
  const name = nameOf(pattern)
  if (name !== undefined) return [name]
  const parts = [pattern.left, pattern.argument, pattern.value, ...list(pattern.elements), ...list(pattern.properties)]
  return parts.flatMap((part) => boundNames(part))
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
