import {
  type ClassBody,
  type Function as FunctionNode,
  type MethodDefinition,
  type ObjectProperty,
  type Program,
  Visitor,
} from "oxc-parser"

/** Text for what stands from start to end. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Functions as V8 tells them: "120:180" is where one begins and ends. Methods begin with their name, or what stands before it. */
export type Called = ReadonlySet<string>

/** Gives a class its methods as the language does: a controller over an object does not see them. */
export const methodsHelper = "$methods"
export const methodsHelperText = `const ${methodsHelper} = (function (of, named) {
	for (const name of Object.keys(named)) Object.defineProperty(of, name, { value: named[name], writable: true, configurable: true });
});`

/**
 * Puts functions that are called in parentheses wherever they stand: arrow functions, function expressions, and methods, which become function
 * expressions for it. Private methods, constructors and accessors cannot, and async arrow functions V8 compiles late in parentheses too.
 */
export function earlyEdits(program: Program, called: Called): readonly Edit[] {
  const edits: Edit[] = []
  const supers = supersIn(program)
  let depth = 0
  const enter = () => void depth++
  const leave = () => void depth--
  const inParentheses = ({ start, end }: Span) => {
    enter()
    if (called.has(`${start}:${end}`)) edits.push({ start, end: start, text: "(" }, { start: end, end, text: ")" })
  }
  const becomesFunction = (method: Method, before: string, after: string) => {
    const { start, value } = method
    if (!called.has(`${start}:${value.end}`) || !mayBeFunction(method, supers)) return
    edits.push({ start, end: value.start, text: before + headOf(method) }, { start: value.end, end: value.end, text: `)${after}` })
  }
  new Visitor({
    ArrowFunctionExpression: inParentheses,
    "ArrowFunctionExpression:exit": leave,
    FunctionExpression: inParentheses,
    "FunctionExpression:exit": leave,
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    Property(node) {
      if (isMethod(node)) becomesFunction(node, "", "")
    },
    ClassBody(node) {
      // A class inside of a function is made at each call, which should not take longer.
      const methods = depth === 0 ? methodsOf(node) : []
      for (const method of methods)
        becomesFunction(method, `static { ${methodsHelper}(this${method.static ? "" : ".prototype"}, { `, " }); }")
    },
  }).visit(program)
  return edits.toSorted((one, other) => one.start - other.start)
}

/** What the text from one place to another becomes. */
export function edited(text: string, edits: readonly Edit[], from: number, to: number): string {
  const inside = edits.filter(({ start, end }) => start >= from && end <= to)
  const pieces = inside.map((edit, at) => text.slice(inside[at - 1]?.end ?? from, edit.start) + edit.text)
  return pieces.join("") + text.slice(inside.at(-1)?.end ?? from, to)
}

interface Span {
  readonly start: number
  readonly end: number
}

type Method = MethodDefinition | (ObjectProperty & { readonly value: FunctionNode })

/** Those before the first static field or block: whatever runs there may call any method, and those behind it would not be there yet. */
function methodsOf({ body }: ClassBody): readonly MethodDefinition[] {
  const runs = body.findIndex((element) => element.type === "StaticBlock" || (element.type !== "MethodDefinition" && element.static))
  const before = body.slice(0, runs < 0 ? undefined : runs)
  return before.flatMap((element) => (element.type === "MethodDefinition" ? [element] : []))
}

function isMethod(node: { readonly type: string; readonly method?: boolean; readonly value: { readonly type: string } }): node is Method {
  return node.method === true && node.value.type === "FunctionExpression"
}

/** `super` works in methods only; `__proto__: …` means something else. */
function mayBeFunction({ kind, key, computed, value }: Method, supers: readonly number[]): boolean {
  if ((kind !== "method" && kind !== "init") || computed || key.type !== "Identifier" || key.name === "__proto__") return false
  return !value.generator && !supers.some((at) => at > value.start && at < value.end)
}

/** `async stop(…) {…}` → `stop: (async function(…) {…}`: one without a name of its own, which would hide what has the same name outside. */
function headOf({ key, value }: Method): string {
  return `${key.type === "Identifier" ? key.name : ""}: (${value.async ? "async " : ""}function`
}

function supersIn(program: Program): readonly number[] {
  const found: number[] = []
  new Visitor({ Super: ({ start }) => void found.push(start) }).visit(program)
  return found
}
