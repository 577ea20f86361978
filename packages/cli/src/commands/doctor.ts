import { messageOf } from "@pilothouse/seams"
import { systemClock, systemFiles } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { ownerSystem } from "../data-directory/directory-owner.ts"
import { type Finding, formatFindings, problem } from "../doctor/check.ts"
import { checkCluster, kubeconfigIn } from "../doctor/cluster-checks.ts"
import { checkDataDirectory, checkNode, checkPort } from "../doctor/machine-checks.ts"
import { somePath } from "../flags/flag-values.ts"

interface DoctorOptions extends ConnectionOptions {
  readonly dataDir: string
}

export function addDoctorCommand(program: Command): void {
  addConnectionOptions(program.command("doctor"))
    .description("check this machine and the cluster: versions, ports, files, clock, permissions; and say what to do")
    .option(
      "--data-dir <path>",
      "the data directory to look at; the cluster of its kubeconfig is the one that is asked",
      somePath("--data-dir"),
      ".pilothouse",
    )
    .action(async (options: DoctorOptions, command: Command) => {
      const isNamed = command.getOptionValueSource("dataDir") === "cli"
      const findings = [
        checkNode(process.version),
        await checkPort("127.0.0.1", 6443),
        checkDataDirectory(systemFiles, options.dataDir, ownerSystem.isRunning),
        ...(await clusterFindings(options, isNamed ? options.dataDir : undefined)),
      ]
      process.stdout.write(formatFindings(findings))
      if (findings.some(({ state }) => state === "problem")) process.exitCode = 1
    })
}

/** `named` is a data directory that the user named. */
export async function clusterFindings(options: ConnectionOptions, named: string | undefined): Promise<readonly Finding[]> {
  try {
    await using connection = await openConnection(options, kubeconfigIn(named, options, systemFiles))
    return await checkCluster(connection.transport, connection.server, systemClock)
  } catch (error) {
    return [problem("kubeconfig", messageOf(error), 'start a cluster with "pilothouse up", or name a kubeconfig with --kubeconfig')]
  }
}
