import type { Finding, Rule } from "../rule.ts"
import type { Module } from "../tree/module.ts"
import { isOwnSource } from "../tree/place.ts"
import { isRelative, relativeTarget } from "../tree/resolve.ts"

/** An exported declaration shorter than this is its own contract, unless an index lists it: a comment would repeat it. */
const minLines = 10
/** Their description, which users read, is their contract. */
const commands = /^add\w+Command$/
/** The parameters of what stands below them: its contract is theirs, and each member has its own. */
const options = /Options$/

const declared = /^export\s+(?:declare\s+)?(?:async\s+|abstract\s+)?(function|class|interface|type|const)\*?\s+([\w$]+)/

/** A contract says what a function does, in the third person: it does not begin with what the function is about. */
const subjects = /^\/\*\*[\s*]*(What|Whose|Who|Of|By|Those|Why|Undefined)\s/

/**
 * Every exported function, class, interface and type that is not read at a glance has a comment above it that says what holds, and so has
 * everything that an index lists. Overloads, and constants on lines that follow each other, share one.
 */
export const contractComments: Rule = {
  name: "contracts",
  check({ modules }) {
    const listed = listedNames(modules)
    return modules
      .filter(({ path }) => isOwnSource(path))
      .flatMap((module) => [...withoutComment(module, listed.get(module.path)), ...withoutVerb(module)])
  },
}

/** The names that an index of a package or a folder lists, by the file that defines them. */
function listedNames(modules: readonly Module[]): ReadonlyMap<string, ReadonlySet<string>> {
  const listed = new Map<string, Set<string>>()
  for (const { path, imports } of modules.filter((module) => isOwnSource(module.path) && module.path.endsWith("/index.ts")))
    for (const { specifier, names } of imports.filter((one) => isRelative(one.specifier))) {
      const target = relativeTarget(path, specifier)
      listed.set(target, new Set([...(listed.get(target) ?? []), ...names]))
    }
  return listed
}

function withoutComment(module: Module, listed: ReadonlySet<string> | undefined): readonly Finding[] {
  const { path, text, program, lineAt } = module
  const documented = new Set<string>()
  let lastConstant = -1
  return program.body.flatMap((statement) => {
    const [, keyword = "", name = ""] =
      (statement.type === "ExportNamedDeclaration" && declared.exec(text.slice(statement.start, statement.end))) || []
    if (name === "") return []
    const line = lineAt(statement.start)
    if (contractOf(module, statement.start) !== undefined || (keyword === "const" && line === lastConstant + 1)) documented.add(name)
    if (documented.has(name)) {
      if (keyword === "const") lastConstant = lineAt(statement.end)
      return []
    }
    if (!listed?.has(name) && !needsComment(keyword, name, lineAt(statement.end) - line + 1)) return []
    return [{ file: path, line, expected: "a comment that says what holds", found: name, fix: "write its contract" }]
  })
}

/** The comment that ends on the line above an offset. */
function contractOf({ text, comments }: Module, offset: number): string | undefined {
  const above = comments.findLast(({ end }) => end <= offset)
  return above && /^[ \t]*\n?[ \t]*$/.test(text.slice(above.end, offset)) ? text.slice(above.start, above.end) : undefined
}

/** A constant is a value: a table says itself what is in it. */
function needsComment(keyword: string, name: string, lines: number): boolean {
  return lines >= minLines && keyword !== "const" && !options.test(name) && !commands.test(name)
}

function withoutVerb(module: Module): readonly Finding[] {
  return module.program.body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration?.type !== "FunctionDeclaration") return []
    const found = subjects.exec(contractOf(module, statement.start) ?? "")?.[1]
    if (found === undefined) return []
    return [
      {
        file: module.path,
        line: module.lineAt(statement.start),
        expected: "a contract that says what the function does",
        found: `one that begins with ${found}`,
        fix: "begin with a verb in the third person: Returns, Reports whether, Validates",
      },
    ]
  })
}
