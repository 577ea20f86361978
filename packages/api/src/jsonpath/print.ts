import { stringifyJson } from "@pilothouse/seams"
import { goNumber } from "../patch/values/go-format.ts"
import { isList, isObject } from "../patch/values/json-value.ts"
import { escapedAsGo } from "../text/go-json.ts"

/** Returns the results of one part of a template as text, separated by spaces: objects and lists as JSON, everything else as Go prints it. */
export function printResults(results: readonly unknown[]): string {
  return results.map(printValue).join(" ")
}

/** Returns the results of one part of a template as a list in JSON, as `kubectl get -o jsonpath-as-json` prints it. */
export function printResultsAsJson(results: readonly unknown[]): string {
  return `${goJson(results, 4)}\n`
}

function printValue(value: unknown): string {
  if (value === undefined) return "<no value>"
  if (isList(value) || isObject(value)) return goJson(value)
  return typeof value === "number" ? goNumber(value) : String(value)
}

/** JSON as Go writes it: keys in order, and "<" escaped. */
function goJson(value: unknown, indent?: number): string {
  return escapedAsGo(stringifyJson(sorted(value), indent))
}

function sorted(value: unknown): unknown {
  if (isList(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]))
}
