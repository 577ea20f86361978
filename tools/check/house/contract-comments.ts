import type { Module } from "./module.ts"
import { isOwnSource } from "./place.ts"
import type { Finding, Rule } from "./rule.ts"

/** An exported function or class shorter than this is its own contract: a comment would repeat it. */
const minLines = 10
/** Their description, which users read, is their contract. */
const commands = /^add\w+Command$/

/** A contract says what a function does, in the third person: it does not begin with what the function is about. */
const subjects = /^\/\*\*[\s*]*(What|Whose|Who|Of|By|Those|Why|Undefined)\s/

/** Every exported function or class that is not read at a glance has a comment above it that says what holds; overloads share one. */
export const contractComments: Rule = {
  name: "contracts",
  check({ modules }) {
    return modules.filter(({ path }) => isOwnSource(path)).flatMap((module) => [...withoutComment(module), ...withoutVerb(module)])
  },
}

function withoutComment(module: Module): readonly Finding[] {
  const { path, text, comments, program, lineAt } = module
  const documented = new Set<string>()
  return program.body.flatMap((statement) => {
    if (
      statement.type !== "ExportNamedDeclaration" ||
      !/^(?:FunctionDeclaration|ClassDeclaration|TSDeclareFunction)$/.test(statement.declaration?.type ?? "")
    )
      return []
    const name = /^export\s+(?:declare\s+)?(?:async\s+|abstract\s+)?[a-z]+\*?\s+([\w$]+)/.exec(
      text.slice(statement.start, statement.end),
    )?.[1]
    const above = comments.findLast(({ end }) => end <= statement.start)
    if (above && /^[ \t]*\n?[ \t]*$/.test(text.slice(above.end, statement.start))) documented.add(name ?? "")
    if (name === undefined || documented.has(name) || commands.test(name)) return []
    if (lineAt(statement.end) - lineAt(statement.start) + 1 < minLines) return []
    return [
      { file: path, line: lineAt(statement.start), expected: "a comment that says what holds", found: name, fix: "write its contract" },
    ]
  })
}

function withoutVerb({ path, text, comments, program, lineAt }: Module): readonly Finding[] {
  return program.body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration?.type !== "FunctionDeclaration") return []
    const above = comments.findLast(({ end }) => end <= statement.start)
    if (above === undefined || !/^[ \t]*\n?[ \t]*$/.test(text.slice(above.end, statement.start))) return []
    const found = subjects.exec(text.slice(above.start, above.end))?.[1]
    if (found === undefined) return []
    return [
      {
        file: path,
        line: lineAt(statement.start),
        expected: "a contract that says what the function does",
        found: `one that begins with ${found}`,
        fix: "begin with a verb in the third person: Returns, Reports whether, Validates",
      },
    ]
  })
}
