import type { Module } from "../house/tree/module.ts"
import { isNode, list, type Node, nameOf, walk } from "../house/tree/syntax.ts"

/** A regular expression in the sources. */
export interface Pattern {
  readonly file: string
  readonly line: number
  /** As it is written: "/\/+$/g", or the call that makes it. An exemption names it by this text. */
  readonly written: string
  /** Undefined where the source of the expression is not a constant of its own file. */
  readonly source: string | undefined
  readonly flags: string
}

/** Every regular expression of a module: literals, and calls of RegExp, whose constant parts are put together. */
export function patternsIn(module: Module): Pattern[] {
  const patterns: Pattern[] = []
  const constants = topConstants(module)
  walk(module.program, (node) => {
    const at = { file: module.path, line: module.lineAt(node.start), written: module.text.slice(node.start, node.end) }
    const regex = node.regex as { readonly pattern: string; readonly flags: string } | undefined
    if (node.type === "Literal" && regex) patterns.push({ ...at, source: regex.pattern, flags: regex.flags })
    if (isRegExpCall(node)) patterns.push({ ...at, ...partsOfCall(node, constants) })
  })
  return patterns
}

function isRegExpCall(node: Node): boolean {
  return (node.type === "NewExpression" || node.type === "CallExpression") && nameOf(node.callee) === "RegExp"
}

function partsOfCall(call: Node, constants: ReadonlyMap<string, Node>): Pick<Pattern, "source" | "flags"> {
  const [source, flags] = list(call.arguments)
  const constantFlags = flags === undefined ? "" : textOf(flags, constants)
  return { source: constantFlags === undefined ? undefined : textOf(source, constants), flags: constantFlags ?? "" }
}

/** The text of a constant expression: strings, templates and sums of them, and names of constants at the top of the module. */
function textOf(node: unknown, constants: ReadonlyMap<string, Node>): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined
  if (node.type === "TemplateLiteral") return templateText(node, constants)
  if (node.type === "BinaryExpression" && node.operator === "+") return joined([node.left, node.right], constants)
  const named = constants.get(nameOf(node) ?? "")
  return named === undefined ? undefined : textOf(named, constants)
}

function templateText(node: Node, constants: ReadonlyMap<string, Node>): string | undefined {
  const fixed = list(node.quasis).map((quasi) => ((quasi as Node).value as { readonly cooked: string }).cooked)
  const filled = list(node.expressions).map((one) => textOf(one, constants))
  if (filled.includes(undefined)) return undefined
  return fixed.map((text, at) => `${text}${filled[at] ?? ""}`).join("")
}

function joined(nodes: readonly unknown[], constants: ReadonlyMap<string, Node>): string | undefined {
  const texts = nodes.map((node) => textOf(node, constants))
  return texts.includes(undefined) ? undefined : texts.join("")
}

/** `const name = …` at the top of the module, by name. Each is declared before it is used, so none leads to itself. */
function topConstants(module: Module): ReadonlyMap<string, Node> {
  const constants = new Map<string, Node>()
  for (const statement of module.program.body as unknown as Node[]) {
    const declaration = isNode(statement.declaration) ? statement.declaration : statement
    if (declaration.type !== "VariableDeclaration" || declaration.kind !== "const") continue
    for (const one of list(declaration.declarations) as Node[]) {
      const name = nameOf(one.id)
      if (name !== undefined && isNode(one.init)) constants.set(name, one.init)
    }
  }
  return constants
}
