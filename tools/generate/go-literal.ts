/** A Go composite literal as plain data: `T{A: 1}` is an object, `[]T{1}` an array, any other expression its source text. */
export type GoValue = string | number | boolean | null | GoExpression | readonly GoValue[] | GoStruct
export interface GoStruct {
  readonly [key: string]: GoValue | undefined
}
export class GoExpression {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** Reads the literal that starts at `from`: the little of Go that openapi-gen writes, and nothing else. */
export function readGoLiteral(source: string, from: number): GoValue {
  return new Reader(source, from).value()
}

const string = /"(?:[^"\\]|\\.)*"/y
const number = /-?\d+(?:\.\d+)?/y
const type = /&?(?:(?:\[\]|map\[string\])*(?:interface\{\}|\*?[A-Za-z_][\w.]*))/y
const space = /(?:\s|\/\/[^\n]*)*/y

/** `position` stands at the first character not yet read. */
class Reader {
  readonly #source: string
  #position: number

  constructor(source: string, position: number) {
    this.#source = source
    this.#position = position
  }

  value(): GoValue {
    this.#match(space)
    const text = this.#match(string)
    if (text !== undefined) return JSON.parse(text) as string
    const digits = this.#match(number)
    if (digits !== undefined) return Number(digits)
    const name = this.#match(type) ?? ""
    if (name === "true" || name === "false") return name === "true"
    if (name === "nil") return null
    if (this.#peek() === "{") return this.#orMethodCall(this.#elements(name))
    if (this.#peek() === "(") return new GoExpression(this.#arguments())
    if (name !== "") return new GoExpression(name)
    throw new Error(`Go literal: a value was expected at ${JSON.stringify(this.#source.slice(this.#position, this.#position + 60))}`)
  }

  #elements(name: string): GoValue {
    this.#position++
    const list: GoValue[] = []
    const struct: Record<string, GoValue> = {}
    for (this.#match(space); this.#peek() !== "}"; this.#match(space)) {
      const key = this.#key()
      if (key === undefined) list.push(this.value())
      else struct[key] = this.value()
      this.#match(space)
      if (this.#peek() === ",") this.#position++
    }
    this.#position++
    return name.startsWith("[]") ? list : struct
  }

  /** `JSON{}.OpenAPISchemaType()`: what the method answers is not known here. */
  #orMethodCall(value: GoValue): GoValue {
    const method = this.#match(/\.\w+(?=\()/y)
    if (method === undefined) return value
    return new GoExpression(`${method}(${this.#arguments()})`)
  }

  #key(): string | undefined {
    const found = this.#match(/("(?:[^"\\]|\\.)*"|[A-Za-z_]\w*):\s*/y)
      ?.trimEnd()
      .slice(0, -1)
    return found?.startsWith('"') ? (JSON.parse(found) as string) : found
  }

  /** The text between the parentheses of a call, which may hold literals and calls itself. */
  #arguments(): string {
    const from = this.#position + 1
    let depth = 0
    do {
      const next = this.#peek()
      if (next === "(") depth++
      if (next === ")") depth--
      this.#position++
    } while (depth > 0)
    return this.#source.slice(from, this.#position - 1)
  }

  #peek(): string | undefined {
    return this.#source[this.#position]
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position
    const found = pattern.exec(this.#source)?.[0]
    if (found === undefined) return undefined
    this.#position += found.length
    return found
  }
}
