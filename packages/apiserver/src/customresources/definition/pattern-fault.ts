/** Returns why a text is no regular expression of Go, in Go's words; undefined where it is one. */
export function patternFault(pattern: string): string | undefined {
  try {
    new RegExp(pattern, "u")
    return undefined
  } catch {
    return "error parsing regexp"
  }
}
