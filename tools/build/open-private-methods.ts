import { globSync, readFileSync, writeFileSync } from "node:fs"
import { type Class, parseSync, Visitor } from "oxc-parser"
import { type Edit, edited } from "./early-edits.ts"

/** In all built packages, before it is seen which of their functions are called. */
export function openPrivateMethods(root: string): void {
  for (const file of globSync(`${root}/packages/*/dist/**/*.js`)) {
    const text = readFileSync(file, "utf8")
    const opened = withOpenMethods(text)
    if (opened !== text) writeFileSync(file, opened)
  }
}

/**
 * Private methods become ordinary ones, `#look()` becomes `_private_look()`: V8 can compile only those on loading (early-edits.ts), and each object of a
 * class with private methods is branded when it is made. Only of classes that extend no other, which may have one of the same name.
 */
export function withOpenMethods(text: string): string {
  const { program } = parseSync("index.js", text)
  const edits: Edit[] = []
  const scopes: Scope[] = []
  const enter = (node: Class) => void scopes.push(scopeOf(node, text))
  const leave = () => void scopes.pop()
  new Visitor({
    ClassDeclaration: enter,
    "ClassDeclaration:exit": leave,
    ClassExpression: enter,
    "ClassExpression:exit": leave,
    PrivateIdentifier({ name, start, end }) {
      const declaring = scopes.findLast(({ declared }) => declared.has(name))
      if (declaring?.opened.has(name)) edits.push({ start, end, text: opened(name) })
    },
  }).visit(program)
  return edited(
    text,
    edits.toSorted((one, other) => one.start - other.start),
    0,
    text.length,
  )
}

interface Scope {
  /** The private names of the class. */
  readonly declared: ReadonlySet<string>
  /** Those of methods that need not be private. */
  readonly opened: ReadonlySet<string>
}

function scopeOf({ body: { body }, superClass, start, end }: Class, text: string): Scope {
  const declared = new Set<string>()
  const methods = new Set<string>()
  const visible = new Set<string>()
  for (const element of body) {
    if (!("key" in element)) continue
    const { key } = element
    if (key.type === "Identifier") visible.add(key.name)
    if (key.type !== "PrivateIdentifier") continue
    declared.add(key.name)
    if (element.type === "MethodDefinition" && element.kind === "method") methods.add(key.name)
  }
  const own = text.slice(start, end)
  // `#look in other` asks for the brand itself.
  const isAskedFor = (name: string) =>
    own
      .split(`#${name}`)
      .slice(1)
      .some((rest) => /^\s+in\b/.test(rest))
  const mayOpen = (name: string) => superClass === null && !visible.has(opened(name)) && !isAskedFor(name)
  return { declared, opened: new Set([...methods].filter(mayOpen)) }
}

/** What no code writes, subclasses included. */
function opened(name: string): string {
  return `_private_${name}`
}
