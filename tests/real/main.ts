// npm run test:real -- <suite…> [--seed=n] [--histories=n]: our code held against the real components. All suites when none is named.
// Ends with "N passed, N failed" alone on the last line; ", N skipped" follows where a component is not cached.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { seededRandom } from "@pilothouse/seams"
import { systemRandom } from "@pilothouse/seams/system"
import type { Suite } from "./suite.ts"
import { Tally } from "./tally.ts"

// The "exit" event is what ends real components that still run; a signal alone would not raise it.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130))

const folder = import.meta.dirname
const known = readdirSync(folder).filter((name) => existsSync(join(folder, name, "suite.ts")))

const { values, positionals, tokens } = parseArgs({
  allowPositionals: true,
  strict: false,
  tokens: true,
  options: { seed: { type: "string" }, histories: { type: "string" } },
})
const seed = values.seed === undefined ? systemRandom().int(2 ** 32) : Number(values.seed)
const wrong = wrongArguments()
if (wrong !== undefined) {
  console.error(`${wrong}: npm run test:real -- <suite…> [--seed=n] [--histories=n], with suites ${known.join(", ")}`)
  process.exitCode = 2
} else await runSuites(positionals.length === 0 ? known : positionals)

function wrongArguments(): string | undefined {
  const option = tokens.find((token) => token.kind === "option" && !["seed", "histories"].includes(token.name))
  if (option?.kind === "option") return `there is no option ${option.rawName}`
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0) return `there is no suite ${unknown.join(", ")}`
  for (const name of ["seed", "histories"] as const)
    if (values[name] !== undefined && !/^\d+$/.test(String(values[name])))
      return `expected a whole number as --${name}, found ${values[name]}`
  return undefined
}

async function runSuites(names: readonly string[]): Promise<void> {
  const tally = new Tally(console.log)
  console.log(`seed ${seed}: --seed=${seed} runs the same cases again`)
  for (const name of names) await runSuite(name, tally)
  console.log(String(tally))
  process.exitCode = tally.failed === 0 ? 0 : 1
}

async function runSuite(name: string, tally: Tally): Promise<void> {
  const { suite }: { suite: Suite } = await import(pathToFileURL(join(folder, name, "suite.ts")).href)
  const reason = suite.skipReason()
  if (reason !== undefined) return tally.skip(name, reason)
  try {
    await suite.run({
      tally,
      random: seededRandom(seed).fork(name),
      ...(values.histories !== undefined && { histories: Number(values.histories) }),
    })
  } catch (error) {
    await tally.group(name, () => Promise.reject(error))
  }
}
