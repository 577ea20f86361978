import type { Finding, Rule } from "../rule.ts"
import type { Module } from "../tree/module.ts"
import { isOwnSource } from "../tree/place.ts"
import { isNode, list, type Node, nameOf, propertyOf, walk } from "../tree/syntax.ts"
import { type StateFile, stateFiles } from "./state-files.ts"

/**
 * Nothing changes at the top of a module: tests share one module graph, and so do two clusters in one process.
 * No `let`, no class field that is static and changes, no Map, Set or list that is not typed as read-only.
 * A table that is not typed so is let through when nothing in its file changes it.
 */
export function moduleStateOutside(listed: readonly StateFile[]): Rule {
  return {
    name: "state",
    check({ modules }) {
      const states = modules.filter(({ path }) => isOwnSource(path)).flatMap(statesIn)
      const isListed = (state: State) => listed.some(({ file, name }) => file === state.file && name === state.name)
      return [...states.filter((state) => !isListed(state)).map(findingFor), ...idle(listed, states)]
    },
  }
}

export const moduleState: Rule = moduleStateOutside(stateFiles)

interface State {
  readonly file: string
  readonly line: number
  readonly name: string
  readonly found: string
}

function statesIn(module: Module): State[] {
  const at = (node: Node, name: string, found: string): State => ({ file: module.path, line: module.lineAt(node.start), name, found })
  return (module.program.body as unknown as Node[]).flatMap((statement) => {
    const declaration = isNode(statement.declaration) ? statement.declaration : statement
    if (declaration.type === "ClassDeclaration") return staticFields(declaration).map((name) => at(declaration, name, `static ${name}`))
    if (declaration.type !== "VariableDeclaration" || declaration.declare === true) return []
    return (list(declaration.declarations) as Node[]).flatMap((one) => {
      const name = nameOf(one.id) ?? "a pattern"
      if (declaration.kind !== "const") return [at(one, name, `${declaration.kind} ${name}`)]
      return holdsState(one, name, module) ? [at(one, name, `const ${name} that can change`)] : []
    })
  })
}

function staticFields(declaration: Node): string[] {
  const members = isNode(declaration.body) ? (list(declaration.body.body) as Node[]) : []
  const fields = members.filter((member) => member.type === "PropertyDefinition" && member.static === true)
  const changing = fields.filter((field) => field.readonly !== true || isCollection(field.value))
  return changing.map((field) => (isNode(field.key) ? String(field.key.name) : "field"))
}

function holdsState(declarator: Node, name: string, module: Module): boolean {
  if (isReadonlyType(declarator, module.text)) return false
  if (isCollection(declarator.init) || isEmptyLiteral(declarator.init)) return true
  return (isLiteral(declarator.init) || isTypedArray(declarator.init)) && isChanged(name, module)
}

/** ReadonlyMap<…>, Readonly<…>, readonly string[] */
function isReadonlyType({ id }: Node, text: string): boolean {
  const annotation = isNode(id) && isNode(id.typeAnnotation) ? id.typeAnnotation : undefined
  return annotation !== undefined && /^:\s*readonly\b|^:\s*Readonly/.test(text.slice(annotation.start, annotation.end))
}

function isCollection(init: unknown): boolean {
  return isNode(init) && init.type === "NewExpression" && /^(Weak)?(Map|Set)$|^Array$/.test(nameOf(init.callee) ?? "")
}

function isTypedArray(init: unknown): boolean {
  return isNode(init) && init.type === "NewExpression" && /.Array$/.test(nameOf(init.callee) ?? "")
}

function isLiteral(init: unknown): init is Node {
  return isNode(init) && (init.type === "ArrayExpression" || init.type === "ObjectExpression")
}

function isEmptyLiteral(init: unknown): boolean {
  return isLiteral(init) && list(init.elements).length + list(init.properties).length === 0
}

const changers: ReadonlySet<string> = new Set([
  "push",
  "pop",
  "shift",
  "unshift",
  "splice",
  "sort",
  "reverse",
  "fill",
  "set",
  "add",
  "delete",
  "clear",
])

/** Whether the file assigns to, deletes from, or calls a changing method on something of that name. */
function isChanged(name: string, module: Module): boolean {
  let changed = false
  walk(module.program, (node) => {
    const target = node.type === "AssignmentExpression" ? node.left : node.type === "UpdateExpression" ? node.argument : undefined
    const deleted = node.type === "UnaryExpression" && node.operator === "delete" ? node.argument : undefined
    if (isMemberOf(target, name) || isMemberOf(deleted, name)) changed = true
    if (node.type === "CallExpression" && isMemberOf(node.callee, name) && changers.has(propertyOf(node.callee as Node) ?? ""))
      changed = true
    return !changed
  })
  return changed
}

function isMemberOf(node: unknown, name: string): boolean {
  return isNode(node) && node.type === "MemberExpression" && nameOf(node.object) === name
}

function findingFor({ file, line, found }: State): Finding {
  return {
    file,
    line,
    expected: "nothing that changes at the top of a module",
    found,
    fix: "keep it in what is constructed, or type it as read-only; a pure memo goes into tools/check/house/forbidden/state-files.ts with its reason",
  }
}

function idle(listed: readonly StateFile[], states: readonly State[]): Finding[] {
  return listed
    .filter(({ file, name }) => !states.some((state) => state.file === file && state.name === name))
    .map(({ file, name }) => ({
      file: "tools/check/house/forbidden/state-files.ts",
      line: 1,
      expected: "every entry to be needed",
      found: `no state ${name} in ${file}`,
      fix: "remove it from the list",
    }))
}
