import { gitVersion } from "@pilothouse/apiserver"
import type { Command } from "commander"
import { version } from "../version.ts"

export function addVersionCommand(program: Command): void {
  program
    .command("version")
    .description("print the version, and that of the Kubernetes API that is served")
    .action(() => void process.stdout.write(`pilothouse ${version()}, Kubernetes ${gitVersion}\n`))
}
