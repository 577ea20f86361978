import { messageOf } from "@pilothouse/seams"
import { RE2JS } from "re2js"

/** A pattern that texts are searched with. */
export interface Pattern {
  /** Whether the pattern matches anywhere in a text, in time that is linear in the text. */
  test(text: string): boolean
}

/** Returns a pattern of Go's regular expressions, or what is wrong with it. */
export function compilePattern(source: string): Pattern | string {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    return messageOf(error)
  }
}
