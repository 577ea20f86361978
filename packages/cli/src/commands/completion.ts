import { allDescriptors } from "@pilothouse/api/descriptors"
import { Argument, type Command } from "commander"
import { completionScript } from "../completion/completion.ts"
import { oneOf } from "../flags/flag-values.ts"

const shells = ["bash", "zsh", "fish"] as const

export function addCompletionCommand(program: Command): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>").choices(shells).argParser(oneOf("the shell", shells)))
    .description(`print a script that completes commands, flags and kinds, for one of ${shells.join(", ")}`)
    .action((shell: (typeof shells)[number]) => void process.stdout.write(completionScript(shell, program, kinds())))
}

/** Returns the kinds of Kubernetes itself: those of a cluster would cost a request at every key. */
export function kinds(): readonly string[] {
  const plurals = allDescriptors.filter(({ verbs }) => verbs.includes("list")).map(({ plural }) => plural)
  return ["all", ...[...new Set(plurals)].sort()]
}
