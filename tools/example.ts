// Runs one of the examples: npm run example night-sleeper
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const folder = join(import.meta.dirname, "..", "examples")
const [name] = process.argv.slice(2)
const program = join(folder, `${name}`, "main.ts")
if (name !== undefined && existsSync(program)) {
  await import(pathToFileURL(program).href)
} else {
  const known = readdirSync(folder).filter((entry) => existsSync(join(folder, entry, "main.ts")))
  console.error(`expected the name of an example, found ${name ?? "none"}; there are ${known.join(", ") || "none yet"}`)
  process.exitCode = 2
}
