/**
 * JSON as Python's json.dumps(value, sort_keys=True) writes it: keys sorted, ", " and ": " between, everything outside printable ASCII escaped.
 * kuryr compares annotations as text, so every byte counts.
 */
export function pythonJson(value: unknown): string {
  if (typeof value === "string") return quoted(value)
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`
  if (typeof value === "object" && value !== null) {
    const names = Object.keys(value)
      .filter((name) => (value as Record<string, unknown>)[name] !== undefined)
      .sort()
    return `{${names.map((name) => `${quoted(name)}: ${pythonJson((value as Record<string, unknown>)[name])}`).join(", ")}}`
  }
  return String(value)
}

const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\b": "\\b",
  "\f": "\\f",
}

/** One \uXXXX for each half of a character beyond the basic plane, in lower case, and for DEL too, unlike JSON.stringify. */
function quoted(text: string): string {
  const escaped = text.replace(/[^ !#-[\]-~]/g, (unit) => short[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return `"${escaped}"`
}
