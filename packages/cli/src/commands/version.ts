import { gitVersion } from "@pilothouse/apiserver"
import type { Command } from "commander"

export function addVersionCommand(program: Command): void {
  program
    .command("version")
    .description("print the version, and that of the Kubernetes API that is served")
    .action(() => void process.stdout.write(`pilothouse ${program.version()}, Kubernetes ${gitVersion}\n`))
}
