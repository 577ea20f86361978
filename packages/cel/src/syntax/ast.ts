import type { Value } from "../values/value.ts"

interface Node {
  /** Where messages about the node point, in code points: the operator of a call, the dot of a selection. */
  readonly position: number
}

/** A constant of the source text. */
export interface Literal extends Node {
  readonly kind: "literal"
  readonly value: Value
}

/** A variable, possibly with a leading dot. */
export interface Identifier extends Node {
  readonly kind: "identifier"
  readonly name: string
}

/** `operand.field`, or `has(operand.field)` when it only tests presence. */
export interface Select extends Node {
  readonly kind: "select"
  readonly operand: Expression
  readonly field: string
  readonly testOnly: boolean
}

/** A function, method or operator; operators are named by their shape, such as `_+_`. `_&&_` and `_||_` take two or more arguments. */
export interface Call extends Node {
  readonly kind: "call"
  readonly function: string
  readonly target?: Expression
  readonly args: readonly Expression[]
}

/** `[a, ?b]`. */
export interface ListLiteral extends Node {
  readonly kind: "list"
  readonly elements: readonly Expression[]
  /** The indexes of elements that are optional. */
  readonly optional: ReadonlySet<number>
}

/** `key: value` of a map literal. */
export interface MapEntry extends Node {
  readonly key: Expression
  readonly value: Expression
  readonly optional: boolean
}

/** `{key: value}`. */
export interface MapLiteral extends Node {
  readonly kind: "map"
  readonly entries: readonly MapEntry[]
}

/** `field: value` of an object literal. */
export interface FieldEntry extends Node {
  readonly field: string
  readonly value: Expression
  readonly optional: boolean
}

/** `Name{field: value}`. */
export interface ObjectLiteral extends Node {
  readonly kind: "object"
  readonly typeName: string
  readonly entries: readonly FieldEntry[]
}

/** The fold that macros expand to: `step` replaces the accumulator for each item while `condition` holds. */
export interface Comprehension extends Node {
  readonly kind: "comprehension"
  readonly range: Expression
  /** The item of a list or the key of a map; with a second variable, the index or the key. */
  readonly variable: string
  readonly secondVariable: string | undefined
  readonly accumulator: string
  readonly initial: Expression
  readonly condition: Expression
  readonly step: Expression
  readonly result: Expression
}

/** A node of the syntax tree after macros are expanded. */
export type Expression = Literal | Identifier | Select | Call | ListLiteral | MapLiteral | ObjectLiteral | Comprehension

/** What a walk over a tree does with each kind of node. */
export type ExpressionVisitor<T> = {
  readonly [Kind in Expression["kind"]]: (node: Extract<Expression, { readonly kind: Kind }>) => T
}

/** Calls the visitor's method for the kind of a node. */
export function visit<T>(node: Expression, visitor: ExpressionVisitor<T>): T {
  return (visitor[node.kind] as (node: Expression) => T).call(visitor, node)
}

/** The accumulator of macros; no identifier of a source text can name it. */
export const accumulatorName = "@result"

/** Returns the dotted name that a chain of selections spells, or undefined for any other expression. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === "identifier") return expression.name
  if (expression.kind !== "select" || expression.testOnly) return undefined
  const prefix = qualifiedName(expression.operand)
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`
}
