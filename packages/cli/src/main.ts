// The first file of the program: turns on Node's compile cache before anything else is loaded (1,000 files start in a third of the time).
import { enableCompileCache } from "node:module"
import { resolveQuickly } from "./quick-resolve.ts"

enableCompileCache()
// Installed packages are a few large files: there is nothing to win.
if (import.meta.url.endsWith(".ts")) resolveQuickly()
const { runProgram } = await import("./program.ts")
const { endWithReader } = await import("./lost-reader.ts")
const { endOnUnhandledErrors } = await import("./unhandled-errors.ts")
const { limitStops, requestStop } = await import("./process.ts")
const args = process.argv.slice(2)
endOnUnhandledErrors({ process, write: (text) => void process.stderr.write(text), requestStop, exit: () => process.exit() })
limitStops()
endWithReader([process.stdout, process.stderr], args, () => process.exit())
// A command that ran to its end may have set one itself.
const code = await runProgram(args)
if (code !== 0) process.exitCode = code
