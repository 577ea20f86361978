import { messageOf, PilothouseError } from "@pilothouse/seams"
import { Command, CommanderError } from "commander"
import { addUpCommand } from "./commands/up.ts"
import { version } from "./version.ts"

/** Wrong flags and values; everything else that fails is 1. */
const usageExitCode = 2

/** The command line: every command and flag. */
export function pilothouseProgram(): Command {
  const program = new Command("pilothouse")
    .description("Kubernetes' control loops in TypeScript: a whole cluster in one process, or the controllers beside a real one")
    .version(version(), "-v, --version")
    .showSuggestionAfterError()
    .showHelpAfterError("(pilothouse --help lists the commands and flags)")
    .exitOverride()
  addUpCommand(program)
  return program
}

/** Runs one command line and gives the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    await pilothouseProgram().parseAsync(args, { from: "user" })
    return 0
  } catch (error) {
    return exitCodeFor(error)
  }
}

function exitCodeFor(error: unknown): number {
  // Commander has printed its own message, help and version included.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode
  // A message of ours is complete; what caused it would come after what to do.
  process.stderr.write(`pilothouse: ${error instanceof PilothouseError ? error.message : messageOf(error)}\n`)
  return error instanceof PilothouseError && error.code === "USAGE" ? usageExitCode : 1
}
