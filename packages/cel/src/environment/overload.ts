import type { CostRule } from "../cost/cost-rule.ts"
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  optionalType,
  paramType,
  stringType,
  type Type,
  timestampType,
  typeOfType,
  uintType,
} from "../types/types.ts"
import type { Value } from "../values/value.ts"

const named: Readonly<Record<string, Type>> = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  duration: durationType,
  dyn: dynType,
  int: intType,
  null: nullType,
  string: stringType,
  timestamp: timestampType,
  uint: uintType,
}

/** Computes a call's result. The receiver of a method is the first argument. It fails with `fail(message)`. */
export type Evaluate = (...args: never[]) => Value

/** An argument that is a pattern. */
export interface PatternArgument {
  readonly index: number
  /** Returns the evaluation with one pattern, which is compiled once; fails for a text that is none. */
  bind(pattern: string): Evaluate
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
  /** Whether the checker does not know the overload: it is found for an operand of any type, when it turns out to have this one. */
  readonly isDynamic?: true
  /** The implementation, or `planned` where the planner evaluates arguments itself (`&&`, `?:`, `[]`). */
  readonly evaluate: Evaluate | "planned"
  readonly cost: CostRule
  /** The argument that is a pattern: with a constant it is bound before any evaluation. */
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
  readonly isDynamic: boolean
  readonly evaluate: ((...args: Value[]) => Value) | "planned"
  readonly cost: CostRule
  readonly pattern: PatternArgument | undefined
  readonly example: string
  readonly failure: readonly [expression: string, message: string] | undefined
}

/** Parses the rows of a table. */
export function defineOverloads(rows: readonly OverloadRow[]): readonly Overload[] {
  return rows.map(({ id, name, function: functionSignature, method, isDynamic = false, evaluate, cost, pattern, example, failure }) => ({
    id,
    name,
    method: method !== undefined,
    isDynamic,
    ...parseSignature(method ?? functionSignature ?? ""),
    evaluate: evaluate as Overload["evaluate"],
    cost,
    pattern,
    example,
    failure,
  }))
}

/** The types of a signature such as `(list(A), A) -> bool`. */
interface Signature {
  readonly parameters: readonly Type[]
  readonly result: Type
  /** The single capitals that occur in it. */
  readonly typeParameters: readonly string[]
}

/** Parses the signature of an overload; the tables are constants, so a fault in one is a fault of this package. */
function parseSignature(text: string): Signature {
  const tokens = text.match(/->|[A-Za-z_][\w.]*|[(),]/g) ?? []
  const reader = new SignatureReader(tokens)
  const parameters = reader.readParameters()
  reader.expect("->")
  const result = reader.readType()
  const typeParameters = [...new Set(tokens.filter((token) => /^[A-Z]$/.test(token)))]
  return { parameters, result, typeParameters }
}

class SignatureReader {
  private readonly tokens: readonly string[]
  private next = 0

  constructor(tokens: readonly string[]) {
    this.tokens = tokens
  }

  readParameters(): Type[] {
    const types: Type[] = []
    this.expect("(")
    while (this.tokens[this.next] !== ")") {
      types.push(this.readType())
      if (this.tokens[this.next] === ",") this.next++
    }
    this.expect(")")
    return types
  }

  readType(): Type {
    const name = this.tokens[this.next++] ?? ""
    const parameters = this.tokens[this.next] === "(" ? this.readParameters() : []
    const [first, second] = parameters as [Type, Type]
    switch (name) {
      case "list":
        return listType(first)
      case "map":
        return mapType(first, second)
      case "optional":
        return optionalType(first)
      case "type":
        return typeOfType(first)
      default:
        return named[name] ?? (/^[A-Z]$/.test(name) ? paramType(name) : opaqueType(name, ...parameters))
    }
  }

  expect(token: string): void {
    const found = this.tokens[this.next++]
    if (found !== token) throw new Error(`expected "${token}" in the signature "${this.tokens.join(" ")}", found "${found}"`)
  }
}
