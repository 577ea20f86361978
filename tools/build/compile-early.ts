import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { join } from "node:path"
import MagicString, { SourceMap as EncodedMap } from "magic-string"
import { type Function as FunctionNode, type ObjectProperty, type Program, parseSync, Visitor } from "oxc-parser"
import { editAsAscii } from "../bundle/as-ascii.ts"

/** Functions as V8 reports them: "120:180" is where one begins and ends. */
export type Called = ReadonlySet<string>

/**
 * What it buys: the first cluster() of a test file in 0.7 of the time (benches/testing.ts, the row "await cluster() after import", goal ≤ 50 ms), since it
 * compiles 370 functions in place of 1,260. V8 only preparses a function, and parses it again when it is first called; one in parentheses it compiles on
 * loading. A test process is new for every test file, so this is paid for each. The code stays what was written, function by function, and its source map
 * says where.
 *
 * Functions that are called stand in parentheses; declared at the top level they become constants in front of all other code, with their comments, since
 * they may be called before their place. Class members stay as they are.
 */
export function withEarlyFunctions(text: string, called: Called): MagicString {
  const { program, comments } = parseSync("index.js", text)
  const edited = new MagicString(text)
  wrapExpressions(program, called, edited)
  // The bundler prints a comment on the lines before what it is about.
  const documented = new Map(comments.flatMap(({ type, start, end }) => (type === "Block" && text[end] === "\n" ? [[end + 1, start]] : [])))
  const imports = program.body.findLast(({ type }) => type === "ImportDeclaration")?.end ?? 0
  for (const node of program.body) {
    if (node.type !== "FunctionDeclaration" || node.id === null || !called.has(`${node.start}:${node.end}`)) continue
    const start = documented.get(node.start) ?? node.start
    edited.appendRight(node.start, `const ${node.id.name} = (`).appendLeft(node.end, ");").prependRight(start, "\n")
    if (start > imports) edited.move(start, node.end, imports)
  }
  return edited
}

/** Writes the built packages again: with the functions that a new cluster calls compiled on loading, and in ASCII. */
export function compileEarly(root: string): void {
  for (const [file, spans] of Object.entries(calledFunctions(root))) compileFileEarly(file, new Set(spans))
}

/**
 * Writes one built file again, after the bundler: that prints once more what its plugins return, and a function would no longer be at the place that V8
 * reported.
 */
export function compileFileEarly(file: string, called: Called): void {
  // The bundler's own few functions have no sources.
  if (!existsSync(`${file}.map`)) return
  const text = readFileSync(file, "utf8")
  const edited = withEarlyFunctions(text, called)
  editAsAscii(text, edited)
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")))
  writeFileSync(file, edited.toString())
  writeFileSync(`${file}.map`, mapToSources(edited, map).toString())
}

/** From the edited text to the sources: each place leads to the built text, and `built` leads on from there. */
function mapToSources(edited: MagicString, built: SourceMap): EncodedMap {
  const { file, sources, sourcesContent } = built.payload
  const { mappings } = edited.generateDecodedMap({ hires: "boundary" })
  const traced = mappings.map((line) =>
    line.flatMap(([column, _source, fromLine, fromColumn]): [number, number, number, number][] => {
      if (fromLine === undefined || fromColumn === undefined) return []
      const entry = built.findEntry(fromLine, fromColumn)
      if (!("originalSource" in entry)) return []
      return [[column, sources.indexOf(entry.originalSource), entry.originalLine, entry.originalColumn]]
    }),
  )
  return new EncodedMap({ file, sources: [...sources], sourcesContent: [...sourcesContent], names: [], mappings: traced })
}

/** The functions of the built packages that a new cluster calls, by file. */
function calledFunctions(root: string): Readonly<Record<string, readonly string[]>> {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "tools/build/called-functions.ts")], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`expected a cluster made of the built packages, found:\n${stderr}`)
  return JSON.parse(stdout)
}

/** Arrow functions, function expressions, and methods of objects, which become function expressions. Async arrow functions V8 compiles late in any case. */
function wrapExpressions(program: Program, called: Called, edited: MagicString): void {
  const supers = supersIn(program)
  const wrap = ({ start, end }: Span) => {
    if (called.has(`${start}:${end}`)) edited.appendRight(start, "(").appendLeft(end, ")")
  }
  new Visitor({
    ArrowFunctionExpression: wrap,
    FunctionExpression: wrap,
    Property(node) {
      if (!isMethod(node) || !called.has(`${node.start}:${node.value.end}`) || !mayBeFunction(node, supers)) return
      edited.overwrite(node.start, node.value.start, headOf(node)).appendLeft(node.value.end, ")")
    },
  }).visit(program)
}

interface Span {
  readonly start: number
  readonly end: number
}

type Method = ObjectProperty & { readonly value: FunctionNode }

function isMethod(node: { readonly type: string; readonly method?: boolean; readonly value: { readonly type: string } }): node is Method {
  return node.method === true && node.value.type === "FunctionExpression"
}

/** `super` works in methods only; `__proto__: …` means something else. */
function mayBeFunction({ kind, key, computed, value }: Method, supers: readonly number[]): boolean {
  if (kind !== "init" || computed || key.type !== "Identifier" || key.name === "__proto__") return false
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
