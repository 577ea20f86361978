import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..", "..", "..")

/** Prints how many modules of zod and of runtime/kinds are loaded: after a start, and with a kind of defineKind. */
const program = `
import { registerHooks } from "node:module"
let loaded = 0
registerHooks({
  load(url, context, next) {
    if (/node_modules.zod.|runtime.src.kinds/.test(url)) loaded++
    return next(url, context)
  },
})
const { cluster } = await import("@pilothouse/testing")
await using made = await cluster()
const said = [loaded]
await import("@pilothouse/runtime/kinds")
console.log(JSON.stringify([...said, loaded > 0]))
`

test("a program that defines no kinds does not load zod", () => {
  const flags = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", "--input-type=module"]
  // The runner of this test marks its child processes as part of it.
  const env = { ...process.env, NODE_OPTIONS: undefined }
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "-"], { cwd: root, env, encoding: "utf8", input: program })
  expect({ stdout, stderr }).toEqual({ stdout: "[0,true]\n", stderr: "" })
})
