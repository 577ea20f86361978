import { findingLimit } from "./body-limit.ts"
import { fieldPath, itemPath } from "./field-path.ts"

/** What a body has that it should not have: each alone for warnings, and as one text for a refusal. */
export interface StrictFindings {
  readonly warnings: readonly string[]
  readonly refusal: string
}

/** Finds that in the text of a body, whose fields that no schema knows are given. */
export type FindStrict = (unknown: readonly string[]) => StrictFindings

/** For a body whose text is not there to look into. */
export const unknownOnly: FindStrict = (unknown) => together(unknown.map(unknownField))

/** Returns the findings of a JSON text, in the order in which they come in it. */
export function strictInJson(text: string, mayHaveTwice: boolean): FindStrict {
  return (unknown) => (mayHaveTwice ? together(duplicateFields(text, new Set(unknown)).map(finding)) : unknownOnly(unknown))
}

/** Returns the findings of a YAML text: its duplicates were found when it was read, line by line. */
export function strictInYaml(duplicates: readonly string[]): FindStrict {
  return (unknown) => {
    const rest = unknownOnly(unknown)
    if (duplicates.length === 0) return rest
    const first = `yaml: unmarshal errors:\n${duplicates.map((line) => `  ${line}`).join("\n")}`
    return { warnings: together([...duplicates, ...rest.warnings]).warnings, refusal: [first, ...rest.warnings].join(", ") }
  }
}

const operationFields: ReadonlySet<string> = new Set(["op", "path", "from", "value"])

/** Returns the findings of a patch: those of its own text come before those of the result. */
export function strictInPatch(text: string, value: unknown): FindStrict {
  return (unknown) => together([...(Array.isArray(value) ? inOperations(text, value) : twiceIn(text, value)), ...unknown.map(unknownField)])
}

function twiceIn(text: string, value: unknown): readonly string[] {
  return hasDuplicates(text, value) ? duplicateFields(text).map(finding) : []
}

/** Operations have fields that are known too. */
function inOperations(text: string, operations: readonly unknown[]): readonly string[] {
  const strange = operations.flatMap((operation, index) =>
    typeof operation === "object" && operation !== null
      ? Object.keys(operation).flatMap((key) => (operationFields.has(key) ? [] : [`[${index}].${key}`]))
      : [],
  )
  if (strange.length === 0 && !hasDuplicates(text, operations)) return []
  return duplicateFields(text, new Set(strange)).map((field) => `json patch ${finding(field)}`)
}

const noFindings: StrictFindings = { warnings: [], refusal: "" }

function together(texts: readonly string[]): StrictFindings {
  if (texts.length === 0) return noFindings
  const warnings = [...new Set(texts)].slice(0, findingLimit)
  return { warnings, refusal: warnings.join(", ") }
}

function finding({ path, known }: { readonly path: string; readonly known: boolean }): string {
  return known ? `duplicate field ${JSON.stringify(path)}` : unknownField(path)
}

function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`
}

/** Whether a text may have more keys than the value it was read into: nearly every body is asked this, and nearly none has. */
export function hasDuplicates(text: string, value: unknown): boolean {
  return mostKeysIn(text) !== keysOf(value)
}

const [quote, space, backslash] = [0x22, 0x20, 0x5c]

/**
 * Every key has a quote and a colon behind it. A quote inside of a text is escaped, as those of what kubectl applied last; what else looks like a
 * key (":80") counts too: then the text is looked through.
 */
function mostKeysIn(text: string): number {
  let keys = 0
  for (let colon = text.indexOf(":"); colon !== -1; colon = text.indexOf(":", colon + 1)) {
    let before = colon - 1
    while (text.charCodeAt(before) <= space) before--
    if (text.charCodeAt(before) === quote && !isEscaped(text, before)) keys++
  }
  return keys
}

/** Behind an odd number of backslashes: two of them are one that is written. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === backslash) first--
  return (at - first) % 2 === 1
}

/** What is nested too deep was cut off before. */
function keysOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0
  let keys = 0
  if (Array.isArray(value)) for (const item of value) keys += keysOf(item)
  else {
    const fields = value as Readonly<Record<string, unknown>>
    for (const key in fields) keys += 1 + keysOf(fields[key])
  }
  return keys
}

/** A field that is there more than once, or that no schema knows. */
interface OddField {
  /** Such as "metadata.name" or "spec.containers[0].image". */
  readonly path: string
  readonly known: boolean
}

/**
 * The fields that a JSON text has more than once, among those that no schema knows, in the order of the text; JSON.parse keeps the last
 * without an error. Unknown fields are not descended into. The text has been parsed before: it is well-formed.
 */
export function duplicateFields(text: string, unknown: ReadonlySet<string> = new Set()): readonly OddField[] {
  const walk: Walk = { open: [], found: new Map(), unknown }
  // Strings, and the characters that open, close and separate; the rest of a well-formed text is numbers, words and space. Sticky: one pass.
  for (const [, token] of text.matchAll(/[^"{}[\],:]*("(?:[^"\\]|\\.)*"|[{}[\],:])/gsy)) step(token!, walk)
  return [...walk.found.values()]
}

interface Walk {
  readonly open: Level[]
  /** Each once, by its path; no more than are ever shown. */
  readonly found: Map<string, OddField>
  readonly unknown: ReadonlySet<string>
}

/** An object or a list that is not closed yet. */
interface Level {
  readonly path: string
  /** In what no schema knows. */
  readonly hidden: boolean
  /** Left out for a list. */
  readonly seen?: Set<string>
  index: number
  key: string
  /** Whether the next string is a key. */
  atKey: boolean
}

function step(token: string, walk: Walk): void {
  const level = walk.open.at(-1)
  if (token === "{" || token === "[") walk.open.push(levelIn(level, token === "{", walk))
  else if (token === "}" || token === "]") walk.open.pop()
  else if (level === undefined) return
  else if (token === ",") {
    level.index++
    level.atKey = level.seen !== undefined
  } else if (token !== ":" && level.atKey) takeKey(level, JSON.parse(token), walk)
}

function levelIn(level: Level | undefined, isObject: boolean, { unknown }: Walk): Level {
  const path = level === undefined ? "" : pathIn(level)
  const hidden = level !== undefined && (level.hidden || unknown.has(path))
  return { path, hidden, ...(isObject && { seen: new Set<string>() }), index: 0, key: "", atKey: isObject }
}

function takeKey(level: Level, key: string, { found, unknown }: Walk): void {
  level.key = key
  level.atKey = false
  const twice = level.seen?.has(key) === true
  level.seen?.add(key)
  if (level.hidden || found.size >= findingLimit) return
  const path = pathIn(level)
  const known = !unknown.has(path)
  if ((known ? twice : !twice) && !found.has(path)) found.set(path, { path, known })
}

function pathIn({ path, seen, index, key }: Level): string {
  return seen === undefined ? itemPath(path, index) : fieldPath(path, key)
}
