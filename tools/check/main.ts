// npm run check: everything that can be said about the code without running it, at once. Ends with 1 if anything fails.
// npm run check -- lint house: only those.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { type Check, checks } from "./checks.ts"
import { type Outcome, runCheck } from "./run-check.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

function chosen(names: readonly string[]): readonly Check[] {
  const unknown = names.filter((name) => !checks.some((check) => check.name === name))
  if (unknown.length > 0) {
    console.error(`expected checks among ${checks.map(({ name }) => name).join(", ")}, found ${unknown.join(", ")}`)
    process.exit(2)
  }
  return names.length === 0 ? checks : checks.filter(({ name }) => names.includes(name))
}

function print({ check, passed, seconds, output }: Outcome): void {
  console.log(`${passed ? "ok  " : "FAIL"}  ${check.name.padEnd(8)} ${seconds.toFixed(1).padStart(5)} s  ${check.what}`)
  if (!passed) console.log(`\n${output.trim()}\n`)
}

// The first tool of the checks installs all of them, before several would at once.
spawnSync(process.execPath, ["tools/run.js", "oxlint", "--version"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
const outcomes = await Promise.all(
  chosen(process.argv.slice(2)).map(async (check) => {
    const outcome = await runCheck(check, root)
    print(outcome)
    return outcome
  }),
)
process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1
