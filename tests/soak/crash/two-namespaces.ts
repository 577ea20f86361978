import { spawnSync } from "node:child_process"
import { configMaps } from "@pilothouse/api/core/v1"
import { type KillableCluster, killableCluster, until } from "./cluster.ts"

/** A process that is number 1 of its own, as in a container. `--kill-child`: kill -9 of the command kills what it has started. */
const container = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
const writes = 20

/** Why there can be no PID namespaces here; undefined where there can. */
export function withoutNamespaces(): string | undefined {
  const [command, ...words] = [...container, "true"]
  const { status, error, stderr } = spawnSync(command!, words, { encoding: "utf8" })
  return status === 0 ? undefined : `${container.join(" ")}: ${error?.message ?? stderr.trim()}`
}

/**
 * Two clusters, each process 1 of a PID namespace, on one data directory: the second is refused while the first acknowledges writes, also one that keeps its objects in memory; when the first was killed
 * the second starts, and has all of them. Gives how many there were.
 */
export async function twoNamespaces(directory: string): Promise<number> {
  const first = await killableCluster(directory, container)
  let attempts = 0
  for (const [wrapper, flags] of [
    [container, []],
    [container, ["--ephemeral"]],
    [[], []],
  ]) {
    const refusal = await killableCluster(directory, wrapper, flags).then(
      async (second) => `up, and ended with ${await second.end("SIGKILL")}`,
      (error: Error) => error.message,
    )
    if (!/is in use by process 1 of another container/.test(refusal)) throw new Error(`expected a refusal, found: ${refusal}`)
    await write(first, `${attempts++}`)
  }
  await first.end("SIGKILL")
  const second = await untilFree(directory)
  const { items } = await second.client.list(configMaps, { namespace: "default" })
  const found = items.filter(({ metadata }) => metadata.name?.startsWith("kept-")).length
  await second.end("SIGKILL")
  if (found !== attempts * writes) throw new Error(`expected ${attempts * writes} acknowledged ConfigMaps, found ${found}`)
  return found
}

async function write({ client }: KillableCluster, run: string): Promise<void> {
  for (let count = 0; count < writes; count++) {
    const metadata = { name: `kept-${run}-${count}`, namespace: "default" }
    await client.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata })
  }
}

/** The kernel gives the lock back when the last thread of the killed process has ended, which is a moment after its parent has. */
async function untilFree(directory: string): Promise<KillableCluster> {
  let cluster: KillableCluster | undefined
  await until(async () => {
    cluster = await killableCluster(directory, container).catch((error: Error) => {
      if (!error.message.includes("is in use by")) throw error
      return undefined
    })
    return cluster !== undefined
  }, "the lock of a killed process to be free")
  return cluster!
}
