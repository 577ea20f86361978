import { PilothouseError } from "@pilothouse/seams"

/** One condition on one field. A field without a value has the value "". */
export interface FieldRequirement {
  readonly field: string
  readonly operator: "=" | "!="
  readonly value: string
}

/** All requirements hold; none match everything. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[]
}

/** Reads "spec.nodeName=a,status.phase!=Failed". In values \\, \= and \, stand for the characters themselves. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).filter((term) => term !== "")
  // Sorted by bytes as upstream, so that two ways to write one selector are one cache key.
  terms.sort()
  const requirements = terms.map((term) => requirementOf(term, text))
  // "=" alone, like an empty term, asks for nothing.
  return { requirements: requirements.filter(({ field, value }) => field !== "" || value !== "") }
}

/** At commas, but not at escaped ones. */
function splitTerms(text: string): string[] {
  return text.match(/(?:\\[^]|[^\\,]|\\$)+/g) ?? []
}

function requirementOf(term: string, selector: string): FieldRequirement {
  const match = /^([^]*?)(!=|==|=)([^]*)$/.exec(term)
  if (match === null) throw refuse(`invalid selector: '${selector}'; can't understand '${term}'`)
  return { field: match[1]!, operator: match[2] === "!=" ? "!=" : "=", value: unescaped(match[3]!) }
}

function unescaped(value: string): string {
  if (!/[\\,=]/.test(value)) return value
  return value.replace(/\\(?:[^\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff]|[^])?|[,=]/g, (found) => {
    // Upstream shows the character's number, not the character.
    if (!found.startsWith("\\")) throw refuse(`invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`)
    const character = found.slice(1)
    if (character !== "\\" && character !== "," && character !== "=")
      throw refuse(`invalid field selector: invalid escape sequence: ${found}`)
    return character
  })
}

function escaped(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&")
}

/** The lookup gives the value of a field, "" where there is none. */
export function matchesFields(selector: FieldSelector, lookup: (field: string) => string): boolean {
  for (const { field, operator, value } of selector.requirements) if ((lookup(field) === value) !== (operator === "=")) return false
  return true
}

/** Writes a field selector as a query parameter. */
export function formatFieldSelector(selector: FieldSelector): string {
  return selector.requirements.map(({ field, operator, value }) => `${field}${operator}${escaped(value)}`).join(",")
}

/** For an index over a field: the value it must have, or undefined when the selector does not say. */
export function requiredFieldValue(selector: FieldSelector, field: string): string | undefined {
  return selector.requirements.find((requirement) => requirement.field === field && requirement.operator === "=")?.value
}

function refuse(why: string): PilothouseError {
  return new PilothouseError("INVALID", why)
}
