// npm run test:kubectl-suite [-- FUNCTION…] [--output=DIRECTORY]: upstream's own kubectl tests against `pilothouse apiserver` and
// `pilothouse run`. Prints "pass|fail NAME SECONDS" for each function and ends with "N passed, N failed"; fails below what passed before.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { binary } from "../../tools/components/index.ts"
import { expectedFailures } from "./expected-failures.ts"
import { runFunction } from "./run-function.ts"
import { makeScratch, type Scratch } from "./scratch.ts"
import { type Servers, startServers } from "./servers.ts"

// The "exit" event is what ends servers that still run; a signal alone would not raise it.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130))

const { positionals, values } = parseArgs({ allowPositionals: true, options: { output: { type: "string" } } })
const programs = [binary("kubernetes", "kubectl"), binary("kubectl-convert", "kubectl-convert")]
const missing = programs.includes(undefined)
if (missing) console.log("skipped: kubectl and kubectl-convert 1.36.3 are not cached: npm run components -- kubernetes kubectl-convert")
else process.exitCode = await runSuite(programs as readonly string[])

async function runSuite(found: readonly string[]): Promise<number> {
  using scratch = makeScratch(found)
  const chosen =
    positionals.length === 0 ? scratch.functions : positionals.map((name) => (name.startsWith("run_") ? name : `run_${name}_tests`))
  const passed: string[] = []
  const failed: string[] = []
  let servers: Servers | undefined
  for (const name of chosen) {
    servers ??= await freshServers(scratch)
    const outcome = await runFunction(scratch, servers.port, name)
    console.log(`${outcome.passed ? "pass" : "fail"} ${name} ${outcome.seconds.toFixed(1)}`)
    if (values.output !== undefined) keep(values.output, name, outcome.output)
    ;(outcome.passed ? passed : failed).push(name)
    // What a function that fails leaves behind is not what the next one expects.
    if (!outcome.passed) {
      await servers[Symbol.asyncDispose]()
      servers = undefined
    }
  }
  await servers?.[Symbol.asyncDispose]()
  const news = failed.filter((name) => !Object.hasOwn(expectedFailures, name))
  for (const name of news) console.log(`${name} has passed before`)
  for (const name of passed) if (Object.hasOwn(expectedFailures, name)) console.log(`${name} passes now: take it off expected-failures.ts`)
  console.log(`${passed.length} passed, ${failed.length} failed`)
  return news.length === 0 ? 0 : 1
}

async function freshServers(scratch: Scratch): Promise<Servers> {
  const servers = await startServers(scratch)
  const { passed, output } = await runFunction(scratch, servers.port, "setup")
  if (passed) return servers
  await servers[Symbol.asyncDispose]()
  throw new Error(`the suite could not be set up:\n${output}`)
}

function keep(directory: string, name: string, output: string): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, `${name}.log`), output)
}
