/** The texts of numbers with a fraction or an exponent, by the object or list that they stand in, and by their key there. */
export type NumberLiterals = ReadonlyMap<object, ReadonlyMap<string, string>>

/** Outside of strings a number stands behind the colon of a key, a bracket or a comma. What is found inside of a string costs time, and nothing else. */
const fraction = /(?:"[\t\n\r ]*:|[[,])[\t\n\r ]*-?[0-9]+[.eE]/

/** With the source text of a value: not in TypeScript's library yet. */
type Reviver = (this: object, key: string, value: unknown, context: { readonly source?: string }) => unknown

/**
 * How numbers were written, which JSON.parse forgets: Go refuses 1.0 and 1e2 where an integer belongs. Undefined where all are integers, as in almost every
 * text. `value` is what the text was parsed to.
 */
export function numberLiterals(text: string, value: unknown): NumberLiterals | undefined {
  if (!fraction.test(text)) return undefined
  const written = new Map<object, Map<string, string>>()
  const note: Reviver = function (key, found, { source = "" }) {
    if (typeof found === "number" && /[.eE]/.test(source))
      written.set(this, (written.get(this) ?? new Map<string, string>()).set(key, source))
    return found
  }
  const root: unknown = JSON.parse(text, note as Parameters<typeof JSON.parse>[1])
  if (written.size === 0) return undefined
  const literals = new Map<object, ReadonlyMap<string, string>>()
  carryOver(root, value, written, literals)
  return literals
}

/** Returns the text of a number that is larger than any double: Go refuses to read it, and JSON.parse makes it infinity. */
export function literalBeyondDouble(literals: NumberLiterals | undefined): string | undefined {
  for (const held of literals?.values() ?? []) for (const literal of held.values()) if (!Number.isFinite(Number(literal))) return literal
  return undefined
}

/** Two values of one text have the same keys. */
function carryOver(from: unknown, to: unknown, written: NumberLiterals, literals: Map<object, ReadonlyMap<string, string>>): void {
  if (!isContainer(from) || !isContainer(to)) return
  const found = written.get(from)
  if (found !== undefined) literals.set(to, found)
  for (const key of Object.keys(from)) carryOver(from[key], to[key], written, literals)
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}
