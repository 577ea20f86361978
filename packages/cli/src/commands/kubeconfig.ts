import { homedir } from "node:os"
import { join } from "node:path"
import { PilothouseError, readText } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { parse } from "yaml"
import { addDirectoryOptions, type DirectoryOptions, directoryOf } from "../data-directory/choose-directory.ts"
import type { Kubeconfig } from "../kubeconfig/kubeconfig.ts"
import { mergeKubeconfig } from "../kubeconfig/merge-kubeconfig.ts"

interface KubeconfigOptions extends DirectoryOptions {
  readonly merge?: boolean
  readonly user?: string
  readonly group?: readonly string[]
}

export function addKubeconfigCommand(program: Command): void {
  const kubeconfig = program
    .command("kubeconfig")
    .description("print the kubeconfig of the cluster that was started here, or merge it into ~/.kube/config")
  addDirectoryOptions(kubeconfig, "the data directory of the cluster (default: .pilothouse)")
    .option("--merge", "put it into ~/.kube/config and make it the current context")
    .option("--user <name>", "print that of another user instead: its client certificate is signed by the cluster's authority, for a year")
    .option("--group <name...>", "a group of that user; can be given more than once")
    .action(printKubeconfig)
}

async function printKubeconfig({ merge, user, group = [], ...directory }: KubeconfigOptions): Promise<void> {
  const dataDir = directoryOf(directory)
  const path = join(dataDir, "kubeconfig")
  const text = readText(systemFiles, path)
  if (text === undefined)
    throw new PilothouseError("USAGE", `expected a kubeconfig at ${path}, found nothing; start a cluster with "pilothouse up"`)
  if (user !== undefined) return printUser({ dataDir, merge, user, group }, parse(text) as Kubeconfig)
  if (group.length > 0) throw new PilothouseError("USAGE", "expected --user with --group, found --group alone")
  if (!merge) return void process.stdout.write(text)
  const target = join(homedir(), ".kube", "config")
  const note = mergeKubeconfig(systemFiles, target, parse(text) as Kubeconfig)
  if (note !== undefined) process.stderr.write(`pilothouse: ${note}\n`)
  process.stdout.write(`the current context of ${target} is pilothouse now\n`)
}

interface UserOptions extends Omit<KubeconfigOptions, "name"> {
  readonly dataDir: string
}

async function printUser({ dataDir, merge, user = "", group = [] }: UserOptions, config: Kubeconfig): Promise<void> {
  if (user === "") throw new PilothouseError("USAGE", "expected the name of a user for --user, found nothing")
  if (merge) throw new PilothouseError("USAGE", "expected one of --user and --merge, found both; write it into a file of its own")
  // Loaded then: to print the administrator's needs no certificate.
  const { userKubeconfig } = await import("../kubeconfig/user-kubeconfig.ts")
  const seams = { files: systemFiles, clock: systemClock, random: systemRandom() }
  const made = userKubeconfig({ config, directory: dataDir, user, groups: group, ...seams })
  process.stdout.write(`${JSON.stringify(made, undefined, 2)}\n`)
}
