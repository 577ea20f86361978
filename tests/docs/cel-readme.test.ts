import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const readme = readFileSync(join(root, "packages/cel/README.md"), "utf8")
const programs = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code)

/** What the comments of a program say that it prints: they stand in lines of their own. */
function shownBy(program: string): string {
  return [...program.matchAll(/^\/\/ (.*\n)/gm)].map(([, line = ""]) => line).join("")
}

test("the README of cel shows programs", () => {
  expect(programs).toHaveLength(5)
})

test.each(programs)("a program of the README prints what its comments say", (program) => {
  const flags = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", "--input-type=module-typescript"]
  // The runner of this test marks its child processes as part of it.
  const env = { ...process.env, NODE_OPTIONS: undefined, NO_COLOR: "1" }
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "-"], { cwd: root, env, encoding: "utf8", input: program })
  expect({ stdout, stderr }).toEqual({ stdout: shownBy(program), stderr: "" })
})
