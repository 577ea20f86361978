import { fieldError, quoted } from "@pilothouse/api"
import type { Result, Validation } from "./result.ts"

/** A schema that a value is validated by. */
interface Rules {
  validate(value: unknown, run: Validation): void
}

/** What a schema says of a value by way of other schemas. */
export interface CombinedRules {
  readonly anyOf: readonly Rules[]
  readonly oneOf: readonly Rules[]
  readonly allOf: readonly Rules[]
  readonly not: Rules | undefined
}

/** Validates by the schemas that a value must or must not match; counts a match in any case. */
export function checkCombined({ anyOf, oneOf, allOf, not }: CombinedRules, value: unknown, run: Validation): void {
  if (anyOf.length > 0) checkAnyOf(anyOf, value, run)
  if (oneOf.length > 0) checkOneOf(oneOf, value, run)
  if (allOf.length > 0) checkAllOf(allOf, value, run)
  if (not !== undefined && resultOf(not, value, run).isValid) report("must not validate the schema (not)", run)
  run.result.matches++
}

function resultOf(rules: Rules, value: unknown, run: Validation): Result {
  return run.apart(() => rules.validate(value, run))
}

function checkAnyOf(alternatives: readonly Rules[], value: unknown, run: Validation): void {
  let best: Result | undefined
  for (const rules of alternatives) {
    const result = resultOf(rules, value, run)
    if (result.isValid) return run.result.merge(result)
    best = better(best, result)
  }
  report("must validate at least one schema (anyOf)", run)
  if (best !== undefined) run.result.merge(best)
}

/** Of alternatives that fail, the errors of the one with most matches are shown; of several, those of the first. */
function better(best: Result | undefined, result: Result): Result {
  return best === undefined || result.matches > best.matches ? result : best
}

function checkOneOf(alternatives: readonly Rules[], value: unknown, run: Validation): void {
  let best: Result | undefined
  const valid: Result[] = []
  for (const rules of alternatives) {
    const result = resultOf(rules, value, run)
    if (result.isValid) valid.push(result)
    else if (valid.length === 0) best = better(best, result)
  }
  if (valid.length === 1) return run.result.merge(valid[0]!)
  const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`
  report(`must validate one and only one schema (oneOf). ${found}`, run)
  if (valid.length === 0 && best !== undefined) run.result.merge(best)
}

function checkAllOf(all: readonly Rules[], value: unknown, run: Validation): void {
  let valid = 0
  for (const rules of all) {
    const result = resultOf(rules, value, run)
    if (result.isValid) valid++
    run.result.merge(result)
  }
  if (valid < all.length) report(`must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`, run)
}

function report(what: string, run: Validation): void {
  const sentence = `${quoted(run.path)} ${what}`
  run.reportWithoutPlace(sentence, (field) => fieldError.invalid(field, "", sentence))
}
