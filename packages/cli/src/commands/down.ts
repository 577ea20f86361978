import { PilothouseError } from "@pilothouse/seams"
import { systemClock, systemFiles } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { addDirectoryOptions, type DirectoryOptions } from "../data-directory/choose-directory.ts"
import type { OwnerRecord } from "../data-directory/data-directory.ts"
import { ownerSystem } from "../data-directory/directory-owner.ts"
import { stopLimit } from "../process/process.ts"
import { namedCluster } from "../up/known-clusters.ts"

/** Milliseconds between two looks at a process that stops; one that hangs is cut off by itself. */
const checkPeriod = 20
const maxWait = stopLimit + 2000

export function addDownCommand(program: Command): void {
  const down = program
    .command("down")
    .description("stop a cluster of this machine in order, and wait until its process has ended; its data stay")
  addDirectoryOptions(down, "the data directory of the cluster (default: .pilothouse)").action(stopCluster)
}

async function stopCluster(options: DirectoryOptions): Promise<void> {
  const { directory, owner } = namedCluster(options, { files: systemFiles, system: ownerSystem })
  if (owner === undefined) return void process.stdout.write(`no cluster is up in ${directory}\n`)
  process.kill(owner.pid, "SIGTERM")
  await untilEnded(owner)
  process.stdout.write(`the cluster in ${directory} is down\n`)
}

async function untilEnded(owner: OwnerRecord): Promise<void> {
  for (const start = systemClock.elapsed(); ownerSystem.isRunning(owner); await systemClock.sleep(checkPeriod)) {
    if (systemClock.elapsed() - start < maxWait) continue
    throw new PilothouseError(
      "TIMEOUT",
      `expected process ${owner.pid} to end within ${maxWait / 1000} s of SIGTERM, found it running; look what it does, or kill it`,
    )
  }
}
