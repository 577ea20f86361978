// npm run test:clients [-- go python java]: the examples for other languages, each with its language's usual client, on `pilothouse up`.
// Needs Go, Python or Maven and their registries; a language that is not installed is skipped. Ends with "N passed, N failed" alone on the last line.
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Tally } from "../real/tally.ts"

const root = join(import.meta.dirname, "..", "..")
/** Milliseconds; a first run downloads and compiles the clients. */
const patience = 20 * 60_000

interface Language {
  /** What must be on the PATH, and how it is asked for its version. */
  readonly program: readonly [name: string, version: string]
  /** Commands in a copy of the example. */
  readonly commands: readonly (readonly string[])[]
}

const languages: Readonly<Record<string, Language>> = {
  go: {
    program: ["go", "version"],
    commands: [
      ["go", "mod", "tidy"],
      ["go", "test", "-count=1", "./..."],
    ],
  },
  python: {
    program: ["python3", "--version"],
    commands: [
      ["python3", "-m", "venv", "venv"],
      ["venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", "kubernetes==36.0.3"],
      ["venv/bin/python", "-m", "unittest", "test_cluster"],
    ],
  },
  java: { program: ["mvn", "--version"], commands: [["mvn", "--batch-mode", "--quiet", "test"]] },
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in languages))
if (unknown.length > 0) {
  console.error(`expected languages among ${Object.keys(languages).join(", ")}, found ${unknown.join(", ")}`)
  process.exitCode = 2
} else {
  const tally = new Tally(console.log)
  for (const name of asked.length === 0 ? Object.keys(languages) : asked) await tryLanguage(name, languages[name]!, tally)
  console.log(String(tally))
  process.exitCode = tally.failed === 0 ? 0 : 1
}

async function tryLanguage(name: string, { program, commands }: Language, tally: Tally): Promise<void> {
  if (spawnSync(program[0], [program[1]]).status !== 0) return tally.skip(name, `${program[0]} is not installed`)
  await tally.group(name, async (group) => {
    const directory = mkdtempSync(join(tmpdir(), `pilothouse-${name}-`))
    try {
      cpSync(join(root, "examples", `from-${name}`), directory, { recursive: true })
      for (const command of commands) run(command, directory)
      group.case(commands.at(-1)!.join(" "), undefined)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
}

function run([program = "", ...words]: readonly string[], cwd: string): void {
  const launcher = `${process.execPath} ${join(root, "packages/cli/bin/pilothouse.js")}`
  const env = { ...process.env, PILOTHOUSE: launcher, GOWORK: "off", GOFLAGS: "-mod=mod" }
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd, env, encoding: "utf8", timeout: patience })
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${status ?? error?.message}:\n${stdout}${stderr}`)
}
