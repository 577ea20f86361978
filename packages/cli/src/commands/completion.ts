import type { Command } from "commander"
import { completionScript } from "../completion.ts"
import { oneOf } from "../flag-values.ts"

const shells = ["bash", "zsh", "fish"] as const

export function addCompletionCommand(program: Command): void {
  program
    .command("completion <shell>")
    .description(`print a script that completes commands and flags: source <(pilothouse completion bash); one of ${shells.join(", ")}`)
    .action((word: string) => void process.stdout.write(completionScript(oneOf("the shell", shells)(word), program)))
}
