import type { Status } from "@pilothouse/api"
import type { CommandOutcome } from "./command-client.ts"

/** Returns the Status that ends the error stream of protocols 4 and 5. */
export function commandStatus({ exitCode, message = "" }: CommandOutcome): Omit<Status, "kind" | "apiVersion"> {
  const base = { metadata: {} } as const
  if (exitCode === 0) return { ...base, status: "Success" }
  if (exitCode === undefined)
    return {
      ...base,
      status: "Failure",
      message: `Internal error occurred: ${message}`,
      reason: "InternalError",
      details: { causes: [{ message }] },
      code: 500,
    }
  return {
    ...base,
    status: "Failure",
    message: `command terminated with non-zero exit code: ${message}, exit code ${exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  }
}

/** The same for protocols 1 to 3, whose error stream has text; undefined: all went well, and nothing is sent. */
export function commandError(outcome: CommandOutcome): string | undefined {
  return outcome.exitCode === 0 ? undefined : commandStatus(outcome).message
}
