import type { Import, Module } from "../tree/module.ts"
import { boundNames, isNode, list, type Node, nameOf, propertyOf, walk } from "../tree/syntax.ts"
import { forbiddenCryptoNames, forbiddenGlobals, forbiddenMembers, forbiddenModules } from "./forbidden-names.ts"

export interface Use {
  /** The name in the list of what is forbidden: "Date.now", "new Date()", "node:fs", "node:zlib gzip". */
  readonly what: string
  readonly line: number
}

/** A word that every forbidden use has in its text: most files have none, and their syntax tree is never made. */
const hint =
  /\b(Date|performance|process|random|crypto|AbortSignal|set(Timeout|Interval|Immediate)|fetch|WebSocket|EventSource|(Message|Broadcast)Channel)\b/

/** Everything in a module that reaches for what should be passed in. */
export function forbiddenUses(module: Module): readonly Use[] {
  const uses = module.imports.flatMap(usesInImport)
  if (!hint.test(module.text)) return uses
  const own = ownNames(module)
  walk(module.program, (node, parents) => {
    if (node.type === "TSTypeQuery" || node.type === "TSTypeReference") return false
    const what = useAt(node, parents[0])
    const global = what?.replace(/^new |\(\)$/g, "").split(".")[0]
    if (what !== undefined && !own.has(global!)) uses.push({ what, line: module.lineAt(node.start) })
    return true
  })
  return uses
}

function usesInImport({ specifier, typeOnly, line, names }: Import): Use[] {
  if (typeOnly) return []
  const base = `node:${specifier.replace(/^node:|\/promises$/g, "")}`
  if (forbiddenModules.includes(base)) return [{ what: base, line }]
  return names.filter((name) => isForbiddenName(specifier, name)).map((name) => ({ what: `${specifier} ${name}`, line }))
}

/** A whole-module import of these two hides what is used, so it counts as everything. */
function isForbiddenName(specifier: string, name: string): boolean {
  const whole = name === "*" || name === "default"
  if (specifier === "node:crypto") return whole || forbiddenCryptoNames.includes(name)
  if (specifier === "node:zlib") return whole || !(name.endsWith("Sync") || name === "constants" || name === "crc32")
  return false
}

function useAt(node: Node, parent: Node | undefined): string | undefined {
  switch (node.type) {
    case "MemberExpression":
      return memberUse(node)
    case "VariableDeclarator":
      return destructuredUse(node)
    case "NewExpression":
      return nameOf(node.callee) === "Date" && list(node.arguments).length === 0 ? "new Date()" : undefined
    case "CallExpression":
      return nameOf(node.callee) === "Date" ? "Date()" : builtinUse(node)
    case "Identifier":
      return forbiddenGlobals.includes(node.name as string) && isReference(node, parent) ? (node.name as string) : undefined
    default:
      return undefined
  }
}

/** Date.now, and globalThis.setTimeout, and globalThis.process.env. */
function memberUse(node: Node): string | undefined {
  const property = propertyOf(node)
  const object = isNode(node.object) && node.object.type === "MemberExpression" ? propertyOf(node.object) : nameOf(node.object)
  if (object === "globalThis" || object === "global")
    return property !== undefined && forbiddenGlobals.includes(property) ? property : undefined
  const whole = `${object}.${property}`
  return forbiddenMembers.includes(whole) ? whole : undefined
}

/** process.getBuiltinModule("node:http") is an import by another name. */
function builtinUse({ callee, arguments: given }: Node): string | undefined {
  if (!isNode(callee) || callee.type !== "MemberExpression" || propertyOf(callee) !== "getBuiltinModule") return undefined
  const [name] = list(given)
  const specifier = isNode(name) ? String(name.value) : ""
  return usesInImport({ specifier, typeOnly: false, dynamic: true, line: 0, names: ["*"] })[0]?.what
}

/** const { env } = process */
function destructuredUse({ id, init }: Node): string | undefined {
  const object = nameOf(init)
  if (object === undefined || !isNode(id) || id.type !== "ObjectPattern") return undefined
  const names = list(id.properties).map((property) => `${object}.${isNode(property) ? nameOf(property.key) : ""}`)
  return names.find((name) => forbiddenMembers.includes(name))
}

/** Not the name of a property, of a method, or of an import. */
function isReference(node: Node, parent: Node | undefined): boolean {
  if (parent === undefined) return true
  if (parent.type === "MemberExpression") return parent.object === node || parent.computed === true
  if (parent.type.startsWith("Import") || parent.type.startsWith("Export") || parent.type.startsWith("TS")) return false
  return !("key" in parent) || parent.value === node || parent.computed === true
}

/** Names that the module binds itself, which hide the global of that name. What it gets from Node is still Node's. */
function ownNames(module: Module): ReadonlySet<string> {
  const own = new Set<string>()
  walk(module.program, (node) => {
    if (node.type === "ImportDeclaration" && isNode(node.source) && !String(node.source.value).startsWith("node:")) {
      for (const one of list(node.specifiers)) if (isNode(one)) own.add(nameOf(one.local) ?? "")
    }
    for (const bound of [node.id, ...list(node.params)]) for (const name of boundNames(bound)) own.add(name)
    return node.type !== "ImportDeclaration"
  })
  return own
}
