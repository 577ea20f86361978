import { fieldError } from "@pilothouse/api"
import type { FormatCheck } from "../formats/formats.ts"
import { compilePattern, type Pattern } from "../formats/pattern.ts"
import type { Validation } from "./result.ts"
import { reportType } from "./type-rule.ts"

/** What a schema says about a text. */
export interface StringRule {
  readonly maxLength: number | undefined
  readonly minLength: number | undefined
  readonly pattern: string
  readonly patterns: Patterns
}

/** The patterns of one schema, each compiled when the first text is checked: the same ones are often there many times. */
export class Patterns {
  readonly #compiled = new Map<string, Pattern | string>()

  /** Returns a pattern, or what is wrong with it. */
  get(source: string): Pattern | string {
    const known = this.#compiled.get(source)
    if (known !== undefined) return known
    const compiled = compilePattern(source)
    this.#compiled.set(source, compiled)
    return compiled
  }
}

/** Checks length and pattern of a text: the first that does not hold is reported. */
export function checkString(rule: StringRule, text: string, run: Validation): void {
  const { maxLength, minLength, pattern } = rule
  if (maxLength !== undefined && text.length > maxLength && characters(text) > maxLength) return reportTooLong(maxLength, run)
  if (minLength !== undefined && (text.length < minLength || characters(text) < minLength)) {
    return reportInvalid(text, `should be at least ${minLength} chars long`, run)
  }
  if (pattern === "") return
  const compiled = rule.patterns.get(pattern)
  if (typeof compiled === "string") reportInvalid(text, `should match '${pattern}, but pattern is invalid: ${compiled}'`, run)
  else if (!compiled.test(text)) reportInvalid(text, `should match '${pattern}'`, run)
}

/** Checks a text against a format that is known. */
export function checkFormat(format: string, check: FormatCheck, text: string, run: Validation): void {
  if (!check(text)) reportType(format, text, run)
}

/** Characters as Go counts them: half of a surrogate pair is one. */
function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function reportTooLong(maxLength: number, run: Validation): void {
  run.report((path) => {
    const sentence = `${path} in body should be at most ${maxLength} chars long`
    return { at: path, sentence, error: (field) => fieldError.tooLong(field, maxLength) }
  })
}

function reportInvalid(text: string, what: string, run: Validation): void {
  run.report((path) => {
    const sentence = `${path} in body ${what}`
    return { at: path, sentence, error: (field) => fieldError.invalid(field, text, sentence) }
  })
}
