/** Words that a reader of YAML takes for something else than a text. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null|~)$/i
const plain = /^[A-Za-z](?:[\w./,+ -]*[\w+])?$/

/**
 * A JSON value as lines of YAML, the way Go's library writes it. The yaml library writes an empty text as two single quotes, where Go writes two double
 * ones, and needs a document of nodes for each of the thousands of values.
 */
export function blockYaml(value: unknown): string {
  return `${linesOf(value).join("\n")}\n`
}

function linesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? ["[]"] : value.flatMap(itemLines)
  if (typeof value !== "object" || value === null) return [scalar(value)]
  const entries = Object.entries(value)
  return entries.length === 0 ? ["{}"] : entries.flatMap(entryLines)
}

function itemLines(item: unknown): readonly string[] {
  return linesOf(item).map((line, index) => `${index === 0 ? "- " : "  "}${line}`)
}

function entryLines([key, value]: [string, unknown]): readonly string[] {
  const lines = linesOf(value)
  return isBlock(value) ? [`${scalar(key)}:`, ...lines.map((line) => `  ${line}`)] : [`${scalar(key)}: ${lines[0]}`]
}

function isBlock(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0
}

function scalar(value: unknown): string {
  if (typeof value !== "string" || value === "") return JSON.stringify(value)
  if (/\p{Cc}/u.test(value)) return JSON.stringify(value)
  return plain.test(value) && !reserved.test(value) ? value : `'${value.replaceAll("'", "''")}'`
}
