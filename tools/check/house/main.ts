// The project's own rules, over the whole tree. Prints what breaks one, and ends with 1 if anything does.
import { fileURLToPath } from "node:url"
import { describeFinding } from "./rule.ts"
import { rules } from "./rules.ts"
import { readTree } from "./tree/read-tree.ts"

const tree = readTree(fileURLToPath(new URL("../../..", import.meta.url)))
const lines = rules.flatMap(({ name, check }) => check(tree).map((finding) => describeFinding(name, finding)))
for (const line of lines) console.log(line)
console.log(`${tree.modules.length} modules, ${rules.length} rules, ${lines.length} findings`)
process.exitCode = lines.length === 0 ? 0 : 1
