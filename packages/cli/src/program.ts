import { closest, messageOf, PilothouseError } from "@pilothouse/seams"
import { Command, CommanderError } from "commander"
import { takeCommandWords } from "./flags/command-words.ts"
import { improveHelp } from "./flags/help.ts"
import { kubectlHint } from "./flags/kubectl-hints.ts"
import { flagWords } from "./flags/normalize-flags.ts"
import { version } from "./version.ts"

/** Wrong flags and values; everything else that fails is 1. */
const usageExitCode = 2

type AddCommand = (program: Command) => void

/** In the order that help lists them. What a command needs is loaded with it: an API server starts without the controllers. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  up: async () => (await import("./commands/up.ts")).addUpCommand,
  status: async () => (await import("./commands/status.ts")).addStatusCommand,
  down: async () => (await import("./commands/down.ts")).addDownCommand,
  run: async () => (await import("./commands/run.ts")).addRunCommand,
  apiserver: async () => (await import("./commands/apiserver.ts")).addApiServerCommand,
  discovery: async () => (await import("./commands/discovery.ts")).addDiscoveryCommand,
  get: async () => (await import("./commands/get.ts")).addGetCommand,
  apply: async () => (await import("./commands/apply.ts")).addApplyCommand,
  delete: async () => (await import("./commands/delete.ts")).addDeleteCommand,
  logs: async () => (await import("./commands/logs.ts")).addLogsCommand,
  top: async () => (await import("./commands/top.ts")).addTopCommand,
  explain: async () => (await import("./commands/explain.ts")).addExplainCommand,
  auth: async () => (await import("./commands/auth.ts")).addAuthCommand,
  doctor: async () => (await import("./commands/doctor.ts")).addDoctorCommand,
  openstack: async () => (await import("./commands/openstack.ts")).addOpenStackCommand,
  kubeconfig: async () => (await import("./commands/kubeconfig.ts")).addKubeconfigCommand,
  kinds: async () => (await import("./kinds/kinds.ts")).addKindsCommand,
  rbac: async () => (await import("./commands/rbac.ts")).addRbacCommand,
  "envtest-assets": async () => (await import("./commands/envtest-assets.ts")).addEnvtestAssetsCommand,
  version: async () => (await import("./commands/version.ts")).addVersionCommand,
  completion: async () => (await import("./commands/completion.ts")).addCompletionCommand,
}

/** The command line: every command and flag, or only those of one command that is going to run. */
export async function pilothouseProgram(only?: string): Promise<Command> {
  const program = new Command("pilothouse")
    .description("Kubernetes' controllers in TypeScript: a whole cluster in one process, or the controllers beside a real one")
    .version(version(), "-v, --version")
    .showSuggestionAfterError()
    .showHelpAfterError("(pilothouse --help lists the commands; flags stand after the command: pilothouse get pods --kubeconfig FILE)")
    // A flag belongs to the command before it, so that one and its subcommands may have flags of the same name.
    .enablePositionalOptions()
    .exitOverride()
  // Completion is about all of them.
  const alone = only !== undefined && only !== "completion" && Object.hasOwn(commands, only)
  for (const [name, load] of Object.entries(commands)) if (!alone || name === only) (await load())(program)
  for (const command of program.commands) pointToHelp(command, `pilothouse ${command.name()}`)
  improveHelp(program)
  return program
}

/** A wrong flag is answered with where the right ones are listed. */
function pointToHelp(command: Command, name: string): void {
  command.showHelpAfterError(`(${name} --help lists its flags)`)
  for (const one of command.commands) pointToHelp(one, `${name} ${one.name()}`)
}

/** Commander would do so too, but takes words that share two letters for the same. */
function refuseUnknown(program: Command, [word, second]: readonly string[]): void {
  if (word === undefined || word === "help" || word.startsWith("-")) return
  if (Object.hasOwn(commands, word)) return refuseUnknownPart(program, word, second)
  const near = closest(word, Object.keys(commands))
  const hint = kubectlHint(word) ?? (near === undefined ? undefined : `Did you mean ${near}?`)
  program.error(`error: unknown command '${word}'${hint === undefined ? "" : `\n(${hint})`}`)
}

/** `discovery wtach`: a command that has some of its own, and takes no word itself, is asked for one of those. */
function refuseUnknownPart(program: Command, name: string, word: string | undefined): void {
  const command = program.commands.find((one) => one.name() === name)
  const parts = command?.commands.map((one) => one.name()) ?? []
  if (command === undefined || parts.length === 0 || command.registeredArguments.length > 0) return
  if (word === undefined || word === "help" || word.startsWith("-") || parts.includes(word)) return
  const near = closest(word, parts)
  const hint = near === undefined ? `expected one of ${parts.join(", ")}` : `Did you mean ${name} ${near}?`
  command.error(`error: unknown command '${name} ${word}'\n(${hint})`)
}

/** Runs one command line and gives the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    const program = await pilothouseProgram(args[0])
    refuseUnknown(program, args)
    await program.parseAsync(flagWords(program, takeCommandWords(program, args)), { from: "user" })
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
