// The first file of the program: turns on Node's compile cache before anything else is loaded (1,000 files start in a third of the time).
import { enableCompileCache } from "node:module"

enableCompileCache()
const { runProgram } = await import("./program.ts")
const { exitOnEpipe } = await import("./process/epipe.ts")
const { endOnUnhandledErrors, limitStops } = await import("./process/process.ts")
const args = process.argv.slice(2)
exitOnEpipe([process.stdout, process.stderr], args, (complaint) => {
  if (complaint === undefined) process.exit()
  process.stderr.write(`pilothouse: ${complaint}\n`)
  process.exit(1)
})
// What it writes does not come back as another unhandled error: outputs have their listener.
const write = (text: string) => void process.stderr.write(text)
endOnUnhandledErrors({ process, write, requestStop: limitStops(), exit: () => process.exit() })
// A command that ran to its end may have set one itself.
const code = await runProgram(args)
if (code !== 0) process.exitCode = code
