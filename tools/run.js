// Runs a tool of this workspace under a suitable Node: a TypeScript file, or the command of an installed package.
//   node tools/run.js tools/check/main.ts     node tools/run.js vitest run
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { delimiter, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { findNode } from "../packages/cli/bin/find-node.js"
import { startNode } from "../packages/cli/bin/start-node.js"
import { hasBundler, withoutBundler } from "./bundler.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [tool, ...args] = process.argv.slice(2)
const node = findNode()
// Children that say `node` get the same one.
const path = node === undefined ? process.env.PATH : `${dirname(node)}${delimiter}${process.env.PATH}`
startNode(["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", ...program(tool, args)], {
  ...process.env,
  PATH: path,
})

/** What Node is called with: `--test FILE…` are tests for its own runner. */
function program(name, rest) {
  if (name === "--test") return ["--test", ...rest.map((word) => (word.endsWith(".ts") ? file(word) : word))]
  return [found(name), ...rest]
}

function found(name) {
  if (name === undefined) {
    console.error("expected a TypeScript file or a tool, found nothing; for example: node tools/run.js sleeper.ts")
    process.exit(2)
  }
  if (name.endsWith(".ts")) return file(name)
  const directory = { biome: "@biomejs/biome", tsc: "typescript" }[name] ?? name
  const manifestPath = name.startsWith("-") ? undefined : installed(directory)
  if (manifestPath === undefined) {
    console.error(`expected a TypeScript file, a tool of node_modules, or --test and files, found ${name}`)
    process.exit(2)
  }
  if (name === "vitest" && !hasBundler(root)) {
    console.error(`expected rolldown, which vitest is built on, found none: ${withoutBundler}`)
    process.exit(2)
  }
  const { bin } = readManifest(manifestPath)
  return join(dirname(manifestPath), typeof bin === "string" ? bin : bin[name])
}

/** Where the manifest of a tool is. Those of the checks are 138 MB, which `npm ci` leaves out: the first call installs them. */
function installed(directory) {
  const checks = join(root, "tools", "check")
  const version = readManifest(join(checks, "package.json")).devDependencies[directory]
  const places = [checks, root].map((folder) => join(folder, "node_modules", directory, "package.json"))
  const find = () => places.find((path) => existsSync(path) && (version === undefined || readManifest(path).version === version))
  const present = find()
  if (present !== undefined || version === undefined) return present
  console.error(`installing the tools of the checks (npm ci in ${checks})`)
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts"], {
    cwd: checks,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  })
  return status === 0 ? find() : undefined
}

function readManifest(path) {
  return JSON.parse(readFileSync(path, "utf8"))
}

/** Where the caller stands, or in the workspace. */
function file(name) {
  const found = [resolve(name), join(root, name)].find((path) => existsSync(path))
  if (found !== undefined) return found
  console.error(`expected a file ${name} here or in ${root}, found none`)
  process.exit(2)
}
