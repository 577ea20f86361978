import type { CostRule } from "../cost/cost-rule.ts"
import type { Type } from "../types/types.ts"
import type { Value } from "../values/value.ts"
import { parseSignature } from "./signature.ts"

/** Computes a call's result. The receiver of a method is the first argument. It fails with `fail(message)`. */
export type Evaluate = (...args: never[]) => Value

/** An argument that is a pattern. */
export interface PatternArgument {
  readonly index: number
  /** Fails for a text that is no pattern. */
  compile(pattern: string): unknown
}

/** One row of a library's table: everything that is known of one signature of one function. */
export interface OverloadRow {
  /** Names the overload for the checker and the costs; unique. */
  readonly id: string
  readonly name: string
  /** The signature of a function, as `(int, int) -> int`; single capitals are type parameters. */
  readonly function?: string
  /** The signature of a method; the receiver is its first parameter. */
  readonly method?: string
  /** The implementation, or `planned` where the planner evaluates arguments itself (`&&`, `?:`, `[]`). */
  readonly evaluate: Evaluate | "planned"
  readonly cost: CostRule
  /** The argument that is a pattern, which is compiled once if it is a constant. */
  readonly pattern?: PatternArgument
  /** An expression that uses the overload and is true; tests evaluate it. */
  readonly example: string
  /** An expression that fails, and the words it fails with; tests evaluate it. */
  readonly failure?: readonly [expression: string, message: string]
}

/** A row with its types parsed. */
export interface Overload {
  readonly id: string
  readonly name: string
  readonly method: boolean
  readonly parameters: readonly Type[]
  readonly result: Type
  readonly typeParameters: readonly string[]
  readonly evaluate: ((...args: Value[]) => Value) | "planned"
  readonly cost: CostRule
  readonly pattern: PatternArgument | undefined
  readonly example: string
  readonly failure: readonly [expression: string, message: string] | undefined
}

/** Parses the rows of a table. */
export function defineOverloads(rows: readonly OverloadRow[]): readonly Overload[] {
  return rows.map(({ id, name, function: functionSignature, method, evaluate, cost, pattern, example, failure }) => ({
    id,
    name,
    method: method !== undefined,
    ...parseSignature(method ?? functionSignature ?? ""),
    evaluate: evaluate as Overload["evaluate"],
    cost,
    pattern,
    example,
    failure,
  }))
}
