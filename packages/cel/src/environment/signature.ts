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

/** The types of a signature such as `(list(A), A) -> bool`. */
export interface Signature {
  readonly parameters: readonly Type[]
  readonly result: Type
  /** The single capitals that occur in it. */
  readonly typeParameters: readonly string[]
}

/** Parses the signature of an overload; the tables are constants, so a fault in one is a fault of this package. */
export function parseSignature(text: string): Signature {
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
