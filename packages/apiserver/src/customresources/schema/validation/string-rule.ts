import { fieldError } from "@pilothouse/api"
import { lazy } from "../../../server/lazy.ts"
import { formatCheck } from "../formats/formats.ts"
import { compilePattern } from "../formats/pattern.ts"
import type { Validation } from "./result.ts"
import { reportType } from "./type-rule.ts"

/** What a schema says about a text. */
export interface StringRule {
  readonly maxLength: number | undefined
  readonly minLength: number | undefined
  readonly pattern: string
  /** Made when the first text is checked. */
  readonly matches: () => ReturnType<typeof compilePattern>
}

/** The rule for texts of a schema. */
export function stringRule(maxLength: number | undefined, minLength: number | undefined, pattern: string): StringRule {
  return { maxLength, minLength, pattern, matches: lazy(() => compilePattern(pattern)) }
}

/** Checks length and pattern of a text: the first that does not hold is reported. */
export function checkString(rule: StringRule, text: string, run: Validation): void {
  const { maxLength, minLength, pattern } = rule
  if (maxLength !== undefined && text.length > maxLength && characters(text) > maxLength) return reportTooLong(maxLength, run)
  if (minLength !== undefined && (text.length < minLength || characters(text) < minLength)) {
    return reportInvalid(text, `should be at least ${minLength} chars long`, run)
  }
  if (pattern === "") return
  const compiled = rule.matches()
  if (typeof compiled === "string") reportInvalid(text, `should match '${pattern}, but pattern is invalid: ${compiled}'`, run)
  else if (!compiled.test(text)) reportInvalid(text, `should match '${pattern}'`, run)
}

/** Checks a text against a format that is known. */
export function checkFormat(format: string, text: string, run: Validation): void {
  if (!formatCheck(format)?.(text)) reportType(format, text, run)
}

/** Characters as Go counts them: half of a surrogate pair is one. */
function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function reportTooLong(maxLength: number, run: Validation): void {
  const { path } = run
  run.report(path, `${path} in body should be at most ${maxLength} chars long`, (field) => fieldError.tooLong(field, maxLength))
}

function reportInvalid(text: string, what: string, run: Validation): void {
  const { path } = run
  const sentence = `${path} in body ${what}`
  run.report(path, sentence, (field) => fieldError.invalid(field, text, sentence))
}
