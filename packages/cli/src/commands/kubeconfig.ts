import { homedir } from "node:os"
import { join } from "node:path"
import { PilothouseError, readText } from "@pilothouse/seams"
import { systemFiles } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { parse } from "yaml"
import { somePath } from "../flags/flag-values.ts"
import type { Kubeconfig } from "../kubeconfig/kubeconfig.ts"
import { mergeKubeconfig } from "../kubeconfig/merge-kubeconfig.ts"

interface KubeconfigOptions {
  readonly dataDir: string
  readonly merge?: boolean
}

export function addKubeconfigCommand(program: Command): void {
  program
    .command("kubeconfig")
    .description("print the kubeconfig of the cluster that was started here, or merge it into ~/.kube/config")
    .option("--data-dir <path>", "the data directory of the cluster", somePath("--data-dir"), ".pilothouse")
    .option("--merge", "put it into ~/.kube/config and make it the current context")
    .action(({ dataDir, merge }: KubeconfigOptions) => {
      const path = join(dataDir, "kubeconfig")
      const text = readText(systemFiles, path)
      if (text === undefined)
        throw new PilothouseError("USAGE", `expected a kubeconfig at ${path}, found nothing; start a cluster with "pilothouse up"`)
      if (!merge) return void process.stdout.write(text)
      const target = join(homedir(), ".kube", "config")
      const note = mergeKubeconfig(systemFiles, target, parse(text) as Kubeconfig)
      if (note !== undefined) process.stderr.write(`pilothouse: ${note}\n`)
      process.stdout.write(`the current context of ${target} is pilothouse now\n`)
    })
}
