import { goFloat } from "../../text/go-float.ts"
import { isList, isObject, typeOf } from "./json-value.ts"

/** A value the way Go prints it with %v, because kube-apiserver's messages do: `map[image:x ports:[80 81]]`, keys sorted. */
export function goFormat(value: unknown): string {
  if (isList(value)) return `[${value.map(goFormat).join(" ")}]`
  if (isObject(value)) return `map[${goEntries(value)}]`
  if (typeof value === "number") return goNumber(value)
  return value === null || value === undefined ? "<nil>" : String(value)
}

/** A number as Go prints it: an integer in full, a double with an exponent where it is large or small. */
export function goNumber(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : goFloat(value)
}

function goEntries(value: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(value).sort()
  return keys.map((key) => `${key}:${goFormat(value[key])}`).join(" ")
}

/** A value the way Go prints it with %s, which it does in the message on an unknown directive: `%!s(int64=3)` for what is no string. */
export function goString(value: unknown): string {
  if (value === null || value === undefined) return "%!s(<nil>)"
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
    ? `%!s(${goType(value)}=${value})`
    : goFormat(value)
}

/** The Go type a decoded JSON value has; null prints as Go prints a type that is not there. */
export function goType(value: unknown): string {
  switch (typeOf(value)) {
    case "object":
      return "map[string]interface {}"
    case "list":
      return "[]interface {}"
    case "boolean":
      return "bool"
    case "number":
      return Number.isInteger(value) || typeof value === "bigint" ? "int64" : "float64"
    case "string":
      return "string"
    case "null":
      return "%!s(<nil>)"
  }
}

/** The word Go's JSON decoder uses for a value it did not expect. */
export function goJsonWord(value: unknown): string {
  const type = typeOf(value)
  if (type === "list") return "array"
  return type === "boolean" ? "bool" : type
}
