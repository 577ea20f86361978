import type { Value } from "../values/value.ts"
import type { Expression } from "./ast.ts"
import type { Token } from "./lexer.ts"
import { LiteralError, readBytes, readDouble, readInt, readString, readUint } from "./literals.ts"
import { type Macro, MacroError } from "./macros.ts"
import type { Issues } from "./source.ts"

const reservedWords =
  "as break const continue else false for function if import in let loop package namespace null return true var void while" // upstream's words

/** Names that neither a variable nor a function can have. */
export const reserved: ReadonlySet<string> = new Set(reservedWords.split(" "))

/** Stands for a part of a text that is refused. */
export function refusedNode(position: number): Expression {
  return { kind: "literal", position, value: null }
}

/** Makes nodes whose making can be refused: faults are reported, and a node stands for what is refused. */
export class Expansion {
  private readonly macros: ReadonlyMap<string, Macro>
  private readonly issues: Issues

  constructor(macros: readonly Macro[], issues: Issues) {
    this.macros = new Map(macros.map((macro) => [macroKey(macro.function, macro.argumentCount, macro.receiver), macro]))
    this.issues = issues
  }

  /** Makes a call, or what a macro of its name expands to. */
  call(position: number, name: string, target: Expression | undefined, args: readonly Expression[]): Expression {
    const macro = this.macros.get(macroKey(name, args.length, target !== undefined))
    if (!macro) return { kind: "call", position, function: name, ...(target && { target }), args }
    try {
      return macro.expand({ position, target, args })
    } catch (error) {
      if (!(error instanceof MacroError)) throw error
      this.issues.report(error.position, error.message)
      return refusedNode(error.position)
    }
  }

  /** Makes the literal of a token, which may have a minus before it; undefined if the token is none. */
  literal(position: number, token: Token, sign: string): Expression | undefined {
    try {
      const value = literalValue(token, sign)
      return value === undefined ? undefined : { kind: "literal", position, value }
    } catch (error) {
      if (!(error instanceof LiteralError)) throw error
      this.issues.report(position, error.message)
      return refusedNode(position)
    }
  }
}

function literalValue({ kind, text }: Token, sign: string): Value | undefined {
  switch (kind) {
    case "int":
      return readInt(sign + text)
    case "uint":
      return readUint(text)
    case "double":
      return readDouble(sign + text)
    case "string":
      return readString(text)
    case "bytes":
      return readBytes(text)
    default:
      if (text === "null") return null
      return text === "true" || (text === "false" ? false : undefined)
  }
}

function macroKey(name: string, argumentCount: number, receiver: boolean): string {
  return `${name}:${argumentCount}:${receiver}`
}
