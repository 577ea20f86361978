import type { Rule } from "./rule.ts"
import { placeOf } from "./tree/place.ts"
import { type Node, nameOf, propertyOf, walk } from "./tree/syntax.ts"

const blocks: readonly string[] = ["test", "it", "describe", "suite"]
const switches: readonly string[] = ["only", "skip", "todo", "fails"]

/** Every test runs, always. What cannot run somewhere (skipIf, runIf) says so when it runs. */
export const noFocusedTests: Rule = {
  name: "tests",
  check({ modules }) {
    return modules.flatMap((module) => {
      if (!placeOf(module.path).test || !/\.(only|skip|todo|fails)\b/.test(module.text)) return []
      const found: { file: string; line: number; found: string; expected: string; fix: string }[] = []
      walk(module.program, (node: Node) => {
        const property = node.type === "MemberExpression" ? propertyOf(node) : undefined
        if (property !== undefined && switches.includes(property) && blocks.includes(nameOf(node.object) ?? "")) {
          const what = `${nameOf(node.object)}.${property}`
          found.push({
            file: module.path,
            line: module.lineAt(node.start),
            expected: "all tests to run",
            found: what,
            fix: "mend it or remove it",
          })
        }
      })
      return found
    })
  },
}
