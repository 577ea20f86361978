import type { Rule } from "../rule.ts"
import type { Module } from "../tree/module.ts"
import { isOwnSource } from "../tree/place.ts"
import { isNode, list, type Node, nameOf, propertyOf, walk } from "../tree/syntax.ts"

/** Names under which sentences for people go. A `reason` may be a code of Kubernetes too, which is one word: only sentences count there. */
const proseNames: ReadonlySet<string> = new Set(["message", "reason", "summary", "text"])
/** Of these every comparison counts, whatever it is compared with: no code goes under such a name. */
const alwaysProse: ReadonlySet<string> = new Set(["message", "summary"])
const parsing: ReadonlySet<string> = new Set(["startsWith", "endsWith", "includes", "indexOf", "match", "matchAll", "search", "split"])
const comparing: ReadonlySet<string> = new Set(["===", "!==", "==", "!="])

/** A comment "prose: why" on the line or on the line before exempts a comparison with words that others wrote and that have no code. */
const exemption = /^\s*prose:\s*\S.{9,}/s

/** Prose is for people: what a program has to know is a typed field beside the sentence, which may then be reworded at any time. */
export const proseIsNotCompared: Rule = {
  name: "prose",
  check({ modules }) {
    const sources = modules.filter(({ path }) => isOwnSource(path))
    const own = new Map(sources.map((module) => [module, sentencesIn(module)]))
    const all = new Set([...own.values()].flat())
    return sources.flatMap((module) => {
      const imported = module.imports.flatMap(({ names }) => names.filter((name) => all.has(name)))
      return findingsIn(module, new Set([...own.get(module)!, ...imported]))
    })
  },
}

function findingsIn(module: Module, sentences: ReadonlySet<string>) {
  const exempt = new Set(
    module.comments
      .filter(({ value }) => exemption.test(value))
      .flatMap(({ start, end }) => [module.lineAt(start), module.lineAt(end) + 1]),
  )
  const found: { readonly line: number; readonly code: string }[] = []
  walk(module.program, (node) => {
    if (!isComparison(node, sentences)) return
    const line = module.lineAt(node.start)
    const last = module.lineAt(node.end)
    if (!exempt.has(line) && !exempt.has(last)) found.push({ line, code: module.text.slice(node.start, node.end).replaceAll(/\s+/g, " ") })
  })
  return found.map(({ line, code }) => ({
    file: module.path,
    line,
    expected: "prose to be written, never compared or parsed",
    found: code,
    fix: 'compare a typed field, or say "// prose: why" of words that others wrote and that have no code',
  }))
}

function isComparison(node: Node, sentences: ReadonlySet<string>): boolean {
  if (node.type === "BinaryExpression" && comparing.has(String(node.operator))) return isComparedWithSentence(node, sentences)
  return node.type === "CallExpression" && isMember(node.callee) && isParsingCall(node, node.callee, sentences)
}

/** `message.startsWith("…")`, `/…/.test(message)`. */
function isParsingCall(node: Node, callee: Node, sentences: ReadonlySet<string>): boolean {
  const method = propertyOf(callee) ?? ""
  const [argument] = list(node.arguments)
  const { object } = callee
  if (method === "test" || method === "exec") return isProse(argument) && (isAlwaysProse(argument) || hasWords(object, sentences))
  if (!parsing.has(method) || !isProse(object)) return false
  return isAlwaysProse(object) || hasWords(argument, sentences) || (isNode(argument) && argument.type !== "Literal")
}

function isComparedWithSentence({ left, right }: Node, sentences: ReadonlySet<string>): boolean {
  return [
    [left, right],
    [right, left],
  ].some(([prose, other]) => isProse(prose) && hasWords(other, sentences))
}

/** `event.message`, and `message` where it was taken out of something. A variable `text` may be anything; `line.text` is prose. */
function isProse(value: unknown): boolean {
  const name = proseName(value)
  return name !== undefined && (name !== "text" || isMember(value))
}

function proseName(value: unknown): string | undefined {
  if (!isNode(value)) return undefined
  const inner = value.type === "ChainExpression" && isNode(value.expression) ? value.expression : value
  const name = isMember(inner) ? propertyOf(inner) : nameOf(inner)
  return name !== undefined && proseNames.has(name) ? name : undefined
}

function isMember(value: unknown): value is Node {
  return isNode(value) && value.type === "MemberExpression"
}

function isAlwaysProse(value: unknown): boolean {
  return alwaysProse.has(proseName(value) ?? "")
}

/** A literal, a template or a constant with a space between two words. */
function hasWords(value: unknown, sentences: ReadonlySet<string>): boolean {
  if (!isNode(value)) return false
  if (value.type === "Identifier") return sentences.has(String(value.name))
  return literalTexts(value).some((text) => /\S\s\S|\\s/.test(text))
}

function literalTexts(value: Node): readonly string[] {
  if (value.type === "TemplateLiteral") return list(value.quasis).map((part) => JSON.stringify(isNode(part) ? part.value : ""))
  if (value.type !== "Literal") return []
  return [isRegex(value.regex) ? value.regex.pattern : String(value.value)]
}

function isRegex(value: unknown): value is { readonly pattern: string } {
  return typeof value === "object" && value !== null && "pattern" in value
}

/** Names of the module's constants that are sentences. Most modules have none, and their syntax tree is not made. */
function sentencesIn(module: Module): readonly string[] {
  return /^(export )?const \w+ =\s+["`/]/m.test(module.text) ? list(module.program.body).flatMap(sentencesOf) : []
}

function sentencesOf(statement: unknown): readonly string[] {
  if (!isNode(statement)) return []
  if (statement.type === "ExportNamedDeclaration") return sentencesOf(statement.declaration)
  if (statement.type !== "VariableDeclaration") return []
  return list(statement.declarations).flatMap((one) => {
    const name = isNode(one) ? nameOf(one.id) : undefined
    return isNode(one) && name !== undefined && hasWords(one.init, new Set()) ? [name] : []
  })
}
