import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "oxc-parser"
import { type Called, type Edit, earlyEdits, edited, methodsHelper, methodsHelperText } from "./early-edits.ts"

/**
 * Rewrites the built packages so that V8 compiles what every cluster calls when the file is loaded. V8 only skims a function that is declared, and reads it
 * again when it is called for the first time; one in parentheses it takes to be called at once. So each is read once in place of twice, and Node's
 * compile cache, which keeps what was compiled on loading, has the code of it.
 */
export function compileEarly(root: string): void {
  for (const [file, called] of Object.entries(calledFunctions(root))) {
    writeFileSync(file, withEarlyFunctions(readFileSync(file, "utf8"), new Set(called)))
  }
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

/** Those that are called in parentheses; declared at the top level they become constants in front of all other code: they may be called before their place. */
export function withEarlyFunctions(text: string, called: Called): string {
  const { program } = parseSync("index.js", text)
  const { body } = program
  const edits = earlyEdits(program, called)
  const imports = body.findLast(({ type }) => type === "ImportDeclaration")?.end ?? 0
  const early = body.flatMap((node) =>
    node.type === "FunctionDeclaration" && called.has(`${node.start}:${node.end}`) && node.id !== null ? [node] : [],
  )
  const constants = early.map(({ id, start, end }) => `\nconst ${id?.name} = (${edited(text, edits, start, end)});`)
  const ends = [imports, ...early.map(({ end }) => end)]
  const rest = ends.map((end, at) => edited(text, edits, end, early[at]?.start ?? text.length))
  return text.slice(0, imports) + helperFor(edits) + constants.join("") + rest.join("")
}

function helperFor(edits: readonly Edit[]): string {
  return edits.some(({ text }) => text.includes(methodsHelper)) ? `\n${methodsHelperText}` : ""
}
