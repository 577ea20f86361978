import { goNumber } from "../patch/values/go-format.ts"
import { isList, isObject } from "../patch/values/json-value.ts"
import { goJson } from "../text/go-json.ts"

/** Returns the results of one part of a template as text, separated by spaces: objects and lists as JSON, everything else as Go prints it. */
export function printResults(results: readonly unknown[]): string {
  return results.map(printValue).join(" ")
}

/** Returns the results of one part of a template as a list in JSON, as `kubectl get -o jsonpath-as-json` prints it. */
export function printResultsAsJson(results: readonly unknown[]): string {
  return `${goJson(results, { indent: 4 })}\n`
}

function printValue(value: unknown): string {
  if (value === undefined) return "<no value>"
  if (isList(value) || isObject(value)) return goJson(value)
  return typeof value === "number" ? goNumber(value) : String(value)
}
