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
 * Private methods become ordinary ones, `#look()` becomes `_look()`: V8 can compile only those on loading (early-edits.ts), and each object of a class with
 * private methods is branded when it is made. Only of classes that extend no other, so that the new name hides nobody's.
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
      if (declaring?.opened.has(name)) edits.push({ start, end, text: `_${name}` })
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
  const mayOpen = (name: string) => superClass === null && !visible.has(`_${name}`) && !new RegExp(`#${name}\\s+in\\b`).test(own)
  return { declared, opened: new Set([...methods].filter(mayOpen)) }
}
