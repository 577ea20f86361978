import type { Finding, Rule } from "../rule.ts"
import type { Module } from "../tree/module.ts"
import { placeOf } from "../tree/place.ts"
import { exportTarget } from "../tree/resolve.ts"
import { isNode, type Node } from "../tree/syntax.ts"

/**
 * A package's index lists by name what it offers: reading it is reading the package's promises.
 * An index further inside may be a table of the files beside it, but passes nothing on unnamed either.
 */
export const indexFiles: Rule = {
  name: "index",
  check({ modules, manifests }) {
    const doors = new Set(
      manifests.flatMap((manifest) => Object.keys(manifest.exports ?? {}).map((subpath) => exportTarget(manifest, subpath))),
    )
    const indexes = modules.filter(({ path }) => placeOf(path).source && path.endsWith("/index.ts"))
    return indexes.flatMap((module) => {
      const statements = module.program.body as unknown as Node[]
      // One finding says enough about a file.
      return statements.flatMap((statement) => judge(module, statement, doors.has(module.path))).slice(0, 1)
    })
  },
}

function judge(module: Module, statement: Node, door: boolean): Finding[] {
  const at = { file: module.path, line: module.lineAt(statement.start) }
  if (statement.type === "ExportNamedDeclaration" && isNode(statement.source)) return []
  if (statement.type !== "ExportAllDeclaration") {
    if (!door) return []
    const found = firstLine(module.text, statement)
    return [{ ...at, expected: "only re-exports in an index", found, fix: "move the code to a file with a name and re-export it" }]
  }
  if (statement.exportKind === "type" && placeOf(module.path).generated) return []
  return [{ ...at, expected: "names", found: "export *", fix: "list what others may use" }]
}

function firstLine(text: string, { start, end }: Node): string {
  return text.slice(start, Math.min(end, start + 60)).split("\n")[0]!
}
