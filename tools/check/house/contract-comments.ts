import type { Module } from "./module.ts"
import { isOwnSource } from "./place.ts"
import type { Finding, Rule } from "./rule.ts"

/**
 * Every name that a source file exports has a comment above it that says what holds; an overload shares that of the first. The contract of
 * an options object stands on what takes it, so such interfaces are exempt: their members are documented.
 */
export const contractComments: Rule = {
  name: "contracts",
  check({ modules }) {
    return modules.filter(({ path }) => isOwnSource(path)).flatMap(withoutComment)
  },
}

function withoutComment(module: Module): readonly Finding[] {
  const { path, text, comments, program, lineAt } = module
  const documented = new Set<string>()
  return program.body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || !statement.declaration) return []
    const name = /^export\s+(?:declare\s+)?(?:async\s+|abstract\s+)?[a-z]+\*?\s+([\w$]+)/.exec(
      text.slice(statement.start, statement.end),
    )?.[1]
    const above = comments.findLast(({ end }) => end <= statement.start)
    if (above && /^[ \t]*\n?[ \t]*$/.test(text.slice(above.end, statement.start))) documented.add(name ?? "")
    if (name === undefined || documented.has(name) || name.endsWith("Options")) return []
    return [
      { file: path, line: lineAt(statement.start), expected: "a comment that says what holds", found: name, fix: "write its contract" },
    ]
  })
}
