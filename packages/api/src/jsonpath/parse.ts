import { PilothouseError } from "@pilothouse/seams"
import { parseInt64 } from "../quantity/int64.ts"
import type { PathNode, SliceNode, Step, TemplatePart } from "./path-node.ts"
import { unquote } from "./unquote.ts"

/** Filters stand in each other, and every level is read again: more than this is refused. */
const maxDepth = 32

/**
 * Reads a template of kubectl's JSONPath: text with paths in braces, "{.metadata.name}{"\n"}". The grammar and the words of refusals are those of client-go,
 * which reads a bracket up to the first "]" and a filter up to the first ")" outside of quotes.
 */
export function parseTemplate(template: string, depth = 0): readonly TemplatePart[] {
  if (depth > maxDepth) throw refused(`expected at most ${maxDepth} filters in each other, found more; write a shorter path`)
  const parts: TemplatePart[] = []
  const cursor: Cursor = { text: template, at: 0, depth }
  while (cursor.at < template.length) {
    const open = template.indexOf("{", cursor.at)
    const end = open < 0 ? template.length : open
    if (end > cursor.at) parts.push({ type: "text", text: template.slice(cursor.at, end) })
    cursor.at = end + 1
    if (open >= 0) parts.push(pathAt(cursor))
  }
  return parts
}

/** Where a reader stands: everything before `at` has been read. */
interface Cursor {
  readonly text: string
  readonly depth: number
  at: number
}

function refused(message: string): PilothouseError {
  return new PilothouseError("INVALID", message)
}

/** Reads the rest of a path whose brace has been read, and its closing brace. */
function pathAt(cursor: Cursor): PathNode {
  const steps: Step[] = []
  for (;;) {
    if (cursor.text.startsWith("[?(", cursor.at)) steps.push(filterAt(cursor))
    else if (cursor.text.startsWith("..", cursor.at)) steps.push(...recursiveAt(cursor, steps))
    else {
      const character = nextCharacter(cursor)
      if (character === "}") return { type: "path", steps }
      steps.push(...stepsAt(cursor, character))
    }
  }
}

function stepsAt(cursor: Cursor, first: string): readonly Step[] {
  switch (first) {
    case "":
    case "\r":
    case "\n":
      throw refused("unclosed action")
    case " ":
    case "@":
    case "$":
      return []
    case "[":
      return bracketAt(cursor)
    case '"':
    case "'":
      return [quotedAt(cursor, first)]
    case ".":
      return [fieldAt(cursor)]
  }
  cursor.at -= first.length
  if (/^[+\-\p{Nd}]$/u.test(first)) return [numberAt(cursor)]
  if (isWord(first)) return [identifierAt(cursor)]
  throw refused(`unrecognized character in action: ${characterName(first)}`)
}

function nextCharacter(cursor: Cursor): string {
  const code = cursor.text.codePointAt(cursor.at)
  if (code === undefined) return ""
  const character = String.fromCodePoint(code)
  cursor.at += character.length
  return character
}

function isWord(character: string): boolean {
  return /^[\p{L}\p{Nd}_]$/u.test(character)
}

/** "U+002A '*'", as Go names a character. */
function characterName(character: string): string {
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character) ? `U+${code} '${character}'` : `U+${code}`
}

const terminator = /[ \t\r\n.,[\]$@{}]/g

/** The place of the next character that ends a word, from the cursor on. */
function wordEnd({ text }: Cursor, from: number): number {
  terminator.lastIndex = from
  return terminator.exec(text)?.index ?? text.length
}

function identifierAt(cursor: Cursor): Step {
  const start = cursor.at
  cursor.at = wordEnd(cursor, start)
  const name = cursor.text.slice(start, cursor.at)
  return name === "true" || name === "false" ? { type: "literal", value: name === "true", float: false } : { type: "identifier", name }
}

/** A backslash takes the character after it into the name, whatever it is. */
function fieldAt(cursor: Cursor): Step {
  const start = cursor.at
  let end = wordEnd(cursor, start)
  while (end < cursor.text.length && isEscaped(cursor.text, start, end)) end = wordEnd(cursor, end + 1)
  cursor.at = end
  const name = cursor.text.slice(start, end)
  return name === "*" ? { type: "wildcard" } : { type: "field", name: name.replaceAll("\\", "") }
}

/** Reports whether an odd number of backslashes stands before a character of a name. */
function isEscaped(text: string, start: number, at: number): boolean {
  let before = at
  while (before > start && text.charAt(before - 1) === "\\") before--
  return (at - before) % 2 === 1
}

function recursiveAt(cursor: Cursor, before: readonly Step[]): readonly Step[] {
  if (before.at(-1)?.type === "recursive") throw refused("invalid multiple recursive descent")
  cursor.at += 2
  const next = nextCharacter(cursor)
  cursor.at -= next.length
  return isWord(next) ? [{ type: "recursive" }, fieldAt(cursor)] : [{ type: "recursive" }]
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/

function numberAt(cursor: Cursor): Step {
  const [text] = /^[+-]?[.\p{Nd}]*/u.exec(cursor.text.slice(cursor.at))!
  cursor.at += text.length
  if (!decimal.test(text)) throw refused(`cannot parse number ${text}`)
  const integer = parseInt64(text)
  return { type: "literal", value: integer ?? Number(text), float: integer === undefined }
}

/** Ends at the next such quote that no backslash stands before. */
function quotedAt(cursor: Cursor, quote: string): Step {
  const start = cursor.at - 1
  const end = quoteEnd(cursor.text, cursor.at, quote)
  if (end < 0) throw refused("unterminated quoted string")
  cursor.at = end + 1
  const written = cursor.text.slice(start, cursor.at)
  const text = unquote(written)
  if (text === undefined) throw refused(`unquote string ${written} error invalid syntax`)
  return { type: "text", text }
}

function quoteEnd(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length && text.charAt(at) !== "\n"; at++) {
    if (text.charAt(at) === quote && text.charAt(at - 1) !== "\\") return at
  }
  return -1
}

function bracketAt(cursor: Cursor): readonly Step[] {
  const close = cursor.text.indexOf("]", cursor.at)
  const content = cursor.text.slice(cursor.at, close)
  if (close < 0 || content.includes("\n")) throw refused("unterminated array")
  cursor.at = close + 1
  const choices = content.split(",")
  if (choices.length > 1) return [{ type: "union", paths: choices.map((choice) => action(`[${trimmed(choice)}]`, cursor.depth)) }]
  const [, key] = /^'([^']*)'$/.exec(content) ?? []
  return key === undefined ? [sliceOf(content === "*" ? ":" : content)] : action(`.${key}`, cursor.depth).steps
}

/** Without the spaces at its ends; other white space is part of a text. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (text.charAt(start) === " ") start++
  while (end > start && text.charAt(end - 1) === " ") end--
  return text.slice(start, end)
}

/** Reads what a bracket or a filter holds: whatever follows a brace in it is ignored. */
function action(text: string, depth: number): PathNode {
  const [path] = parseTemplate(`{${text}}`, depth + 1)
  return path as PathNode
}

function sliceOf(text: string): SliceNode {
  const found = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text)
  if (found === null) throw refused(`invalid array index ${text}`)
  const [, first = "", second, third] = found
  const start = indexOf(first)
  const step = indexOf(third?.slice(1) ?? "")
  if (second === undefined) return { type: "slice", start, end: (start ?? 0) + 1, step, single: true }
  return { type: "slice", start, end: indexOf(second.slice(1)), step, single: false }
}

function indexOf(text: string): number | undefined {
  if (text === "") return undefined
  const index = parseInt64(text)
  if (index === undefined) throw refused(`array index ${text} is not a number`)
  return Number(index)
}

function filterAt(cursor: Cursor): Step {
  const start = cursor.at + "[?(".length
  const end = filterEnd(cursor.text, start)
  if (end < 0) throw refused("unterminated filter")
  cursor.at = end + 1
  if (nextCharacter(cursor) !== "]") throw refused("unclosed array expect ]")
  const text = cursor.text.slice(start, end)
  const sides = comparison(text)
  if (sides === undefined)
    return { type: "filter", left: action(text, cursor.depth), operator: "exists", right: { type: "path", steps: [] } }
  const [left, operator, right] = sides
  return { type: "filter", left: action(left, cursor.depth), operator, right: action(right, cursor.depth) }
}

/** The place of the ")" that ends a filter. Only its first quoted text can hold one. */
function filterEnd(text: string, start: number): number {
  let quote: string | undefined
  let closed = false
  for (let at = start; at < text.length && text.charAt(at) !== "\n"; at++) {
    const character = text.charAt(at)
    if (character === ")" && (quote === undefined || closed)) return at
    if (character !== '"' && character !== "'") continue
    if (quote === undefined) quote = character
    else if (text.charAt(at - 1) !== "\\" && character === quote) closed = true
  }
  return -1
}

/** Both sides of the first operator; undefined where there is none, or nothing on one of its sides. */
function comparison(text: string): readonly [left: string, operator: string, right: string] | undefined {
  const start = text.search(/[!<>=]/)
  if (start <= 0) return undefined
  const length = text.slice(start).search(/[^!<>=]/)
  const end = length < 0 ? text.length - 1 : start + length
  return end > start ? [text.slice(0, start), text.slice(start, end), text.slice(end)] : undefined
}

/** Returns the template of a path that may be written without braces or the first dot: "metadata.name" and "{.metadata.name}" are the same. */
export function relaxedTemplate(expression: string): string {
  if (expression === "") return ""
  const [, braced, bare] = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/.exec(expression) ?? []
  const path = braced ?? bare
  if (path !== undefined) return `{.${path}}`
  throw refused("unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'")
}
