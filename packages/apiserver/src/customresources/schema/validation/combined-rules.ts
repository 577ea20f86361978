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
export function checkCombined(rules: CombinedRules | undefined, value: unknown, run: Validation): void {
  run.result.matches++
  if (rules === undefined) return
  const { anyOf, oneOf, allOf, not } = rules
  if (anyOf.length > 0) checkAnyOf(anyOf, value, run)
  if (oneOf.length > 0) checkOneOf(oneOf, value, run)
  if (allOf.length > 0) checkAllOf(allOf, value, run)
  if (not !== undefined && quietResult(not, value, run).isValid) report("must not validate the schema (not)", run)
}

/** An alternative that was tried, without the words for what is wrong. */
interface Tried {
  readonly rules: Rules
  readonly result: Result
}

function quietResult(rules: Rules, value: unknown, run: Validation): Result {
  return run.apart(() => rules.validate(value, run), true)
}

function checkAnyOf(alternatives: readonly Rules[], value: unknown, run: Validation): void {
  let best: Tried | undefined
  for (const rules of alternatives) {
    const result = quietResult(rules, value, run)
    if (result.isValid) return run.result.merge(result)
    best = better(best, { rules, result })
  }
  report("must validate at least one schema (anyOf)", run)
  addErrors(best, value, run)
}

/** Of alternatives that fail, the errors of the one with most matches are shown; of several, those of the first. */
function better(best: Tried | undefined, tried: Tried): Tried {
  return best === undefined || tried.result.matches > best.result.matches ? tried : best
}

/** What is wrong is put in words for the alternative that is shown alone. */
function addErrors(best: Tried | undefined, value: unknown, run: Validation): void {
  if (best !== undefined) run.result.merge(run.apart(() => best.rules.validate(value, run)))
}

function checkOneOf(alternatives: readonly Rules[], value: unknown, run: Validation): void {
  let best: Tried | undefined
  const valid: Result[] = []
  for (const rules of alternatives) {
    const result = quietResult(rules, value, run)
    if (result.isValid) valid.push(result)
    else if (valid.length === 0) best = better(best, { rules, result })
  }
  if (valid.length === 1) return run.result.merge(valid[0]!)
  const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`
  report(`must validate one and only one schema (oneOf). ${found}`, run)
  if (valid.length === 0) addErrors(best, value, run)
}

function checkAllOf(all: readonly Rules[], value: unknown, run: Validation): void {
  let valid = 0
  for (const rules of all) {
    const result = run.apart(() => rules.validate(value, run))
    if (result.isValid) valid++
    run.result.merge(result)
  }
  if (valid < all.length) report(`must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`, run)
}

function report(what: string, run: Validation): void {
  run.report((path) => {
    const sentence = `${quoted(path)} ${what}`
    return { at: undefined, sentence, error: (field) => fieldError.invalid(field, "", sentence) }
  })
}
