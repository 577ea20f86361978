import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { PilothouseError } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom, textLog } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { openDataDirectory } from "../data-directory.ts"
import { type EmbeddedCluster, startEmbeddedCluster } from "../embedded-cluster.ts"
import { mergeKubeconfig, writeKubeconfig } from "../kubeconfig.ts"
import { isRunning, untilAskedToStop } from "../process.ts"

interface UpOptions {
  readonly port?: number
  readonly nodes: number
  readonly dataDir: string
  readonly ephemeral?: boolean
  readonly merge?: boolean
}

export function addUpCommand(program: Command): void {
  program
    .command("up")
    .description("start a cluster in this process: API server, controllers, scheduler and simulated nodes")
    .option("--port <number>", "port of the API server (default: 6443, or the next free one)", wholeNumber("--port", 0, 65_535))
    .option("--nodes <number>", "simulated nodes", wholeNumber("--nodes", 0, 1000), 3)
    .option(
      "--data-dir <path>",
      "where everything is kept: objects, certificates and the kubeconfig",
      somePath("--data-dir"),
      ".pilothouse",
    )
    .option("--ephemeral", "keep objects in memory only: a cluster that begins empty and is gone when it stops")
    .option("--merge", "also put the cluster into ~/.kube/config and make it the current context")
    .action(up)
}

async function up(options: UpOptions): Promise<void> {
  const started = systemClock.elapsed()
  using directory = openDataDirectory(systemFiles, resolve(options.dataDir), process.pid, isRunning)
  await using cluster = await startEmbeddedCluster({
    dataDirectory: directory.path,
    port: options.port,
    nodes: options.nodes,
    ephemeral: options.ephemeral,
    clock: systemClock,
    random: systemRandom(),
    files: systemFiles,
    log: textLog("warn"),
  })
  const kubeconfigPath = join(directory.path, "kubeconfig")
  writeKubeconfig(systemFiles, kubeconfigPath, cluster.kubeconfig)
  if (options.merge) mergeKubeconfig(systemFiles, join(homedir(), ".kube", "config"), cluster.kubeconfig)
  process.stdout.write(welcome(cluster, options, kubeconfigPath, systemClock.elapsed() - started))
  await untilAskedToStop()
  process.stdout.write("stopping\n")
}

function welcome({ url, port, controllers }: EmbeddedCluster, options: UpOptions, kubeconfigPath: string, milliseconds: number): string {
  const moved = options.port === undefined && port !== 6443 ? " (6443 is taken)" : ""
  const use = options.merge
    ? ["kubectl uses it now: it is the current context of ~/.kube/config"]
    : [`  export KUBECONFIG=${kubeconfigPath}`]
  return [
    `Pilothouse is up at ${url}${moved} after ${Math.round(milliseconds)} ms`,
    `  nodes  ${options.nodes} simulated`,
    `  loops  ${controllers} controllers, a scheduler, simulated kubelets`,
    "",
    ...use,
    "  kubectl apply -f examples/web.yaml",
    "  kubectl get pods -w",
    "",
    "Ctrl-C stops it.",
    "",
  ].join("\n")
}

function somePath(flag: string): (text: string) => string {
  return (text) => {
    if (text !== "") return text
    throw new PilothouseError("USAGE", `expected a path for ${flag}, found nothing`)
  }
}

function wholeNumber(flag: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= least && number <= most) return number
    throw new PilothouseError("USAGE", `expected a whole number from ${least} to ${most} for ${flag}, found "${text}"`)
  }
}
