// npm run test:packages: packs every package, installs the tarballs in an empty folder and uses them there as a user would.
// Ends with "N passed, N failed" alone on a line.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { installTarballs } from "./install.ts"
import { checkPage, checkTarball, exampleOf, packAll } from "./pack.ts"
import { controllerProgram, runController, strictest, typesOfController } from "./readme-controller.ts"
import { run } from "./run.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

let [passed, failed] = [0, 0]

/** Runs one case; false when it failed. */
async function attempt(name: string, check: () => void | Promise<void>): Promise<boolean> {
  try {
    await check()
    passed++
    console.log(`ok    ${name}`)
    return true
  } catch (error) {
    failed++
    console.log(`FAIL  ${name}\n      ${error instanceof Error ? error.message : error}`)
    return false
  }
}

async function suite(folder: string): Promise<void> {
  const tarballs = join(folder, "tarballs")
  const empty = join(folder, "empty")
  for (const directory of [tarballs, empty]) mkdirSync(directory)
  if (!(await attempt("npm run build", () => void run("npm", ["run", "build"], root)))) return
  const packed = packAll(root, tarballs)
  for (const one of packed) await attempt(`${one.name} has in its tarball what its package.json promises`, () => checkTarball(one))
  for (const one of packed)
    await attempt(`${one.name} has README, LICENSE, keywords and source maps, and brings no Node`, () => checkPage(one))
  const installed = await attempt("the tarballs install in an empty folder", () => installTarballs(packed, tarballs, empty))
  if (!installed) return
  await attempt("npx @pilothouse/cli --version", () => {
    const [said, version] = [run("npx", ["@pilothouse/cli", "--version"], empty).trim(), packed[0]!.version]
    if (said !== version) throw new Error(`expected ${version}, found ${JSON.stringify(said)}`)
  })
  await attempt("a CommonJS program can require the runtime", () => {
    const said = run("node", ["-e", 'console.log(typeof require("@pilothouse/runtime").controller)'], empty).trim()
    if (said !== "function") throw new Error(`expected a function, found ${JSON.stringify(said)}`)
  })
  for (const one of packed) {
    const example = exampleOf(one)
    if (example !== undefined) await attempt(`the example of ${one.name} finds its types`, () => typesOfController(example, empty, root))
  }
  const program = controllerProgram(root)
  await attempt("the README's controller finds its types", () => typesOfController(program, empty, root))
  await attempt("so it does under the strictest settings", () => typesOfController(program, empty, root, strictest))
  await attempt("the README's controller runs against pilothouse up, and stops when asked", () => runController(program, empty))
}

const folder = mkdtempSync(join(tmpdir(), "pilothouse-packages-"))
try {
  await suite(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
