import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const readme = readFileSync(join(root, "README.md"), "utf8")

test("the README's cluster inside a test prints what its comment says", () => {
  const [, program = "", shown = ""] = /## A cluster inside a test\n\n```ts\n(.*?console\.log\(.*\) +\/\/ (\d+)\n)```/s.exec(readme) ?? []
  const flags = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", "--input-type=module-typescript"]
  // The runner of this test marks its child processes as part of it.
  const env = { ...process.env, NODE_OPTIONS: undefined, NO_COLOR: "1" }
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "-"], { cwd: root, env, encoding: "utf8", input: program })
  expect({ stdout, stderr }).toEqual({ stdout: `${shown}\n`, stderr: "" })
  expect(shown).not.toBe("")
})
