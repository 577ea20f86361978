// Runs a tool of this workspace under a suitable Node: a TypeScript file, or the command of an installed package.
//   node tools/run.js tools/check/main.ts     node tools/run.js vitest run
import { readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { findNode } from "../packages/cli/bin/find-node.js"
import { startNode } from "../packages/cli/bin/start-node.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [tool, ...args] = process.argv.slice(2)
const node = findNode()
// Children that say `node` get the same one.
const path = node === undefined ? process.env.PATH : `${dirname(node)}${delimiter}${process.env.PATH}`
startNode(["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", program(tool), ...args], {
  ...process.env,
  PATH: path,
})

function program(name) {
  if (name.endsWith(".ts")) return join(root, name)
  const directory = { biome: "@biomejs/biome", tsc: "typescript" }[name] ?? name
  const manifest = JSON.parse(readFileSync(join(root, "node_modules", directory, "package.json"), "utf8"))
  const bin = typeof manifest.bin === "string" ? manifest.bin : manifest.bin[name]
  return join(root, "node_modules", directory, bin)
}
