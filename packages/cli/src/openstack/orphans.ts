import { pods, services } from "@pilothouse/api/core/v1"
import { findOrphans, type Orphan, ownersAmong, type RemoveOptions, removeOrphan } from "@pilothouse/openstack"
import type { Client } from "@pilothouse/runtime"
import { type Clock, largestOf, messageOf, PilothouseError } from "@pilothouse/seams"

export interface OrphansOptions extends RemoveOptions {
  readonly client: Client
  /** The UID of kube-system. */
  readonly cluster: string
  readonly project: string
  readonly clock: Clock
  readonly delete: boolean
  /** Milliseconds that something has to be an orphan before it is removed. */
  readonly grace: number
  readonly signal: AbortSignal
  print(line: string): void
}

/** Lists orphans, and removes them on request: only those that are still orphans after the grace period. */
export async function orphans(options: OrphansOptions): Promise<readonly Orphan[]> {
  const { print, grace, clock, signal } = options
  const found = await currentOrphans(options)
  for (const line of listed(found)) print(line)
  if (found.length === 0 || !options.delete) {
    if (found.length > 0) print("Nothing was removed: --delete removes them.")
    return found
  }
  if (grace > 0) {
    print(`Checking again in ${grace / 1000} s: what has an owner by then stays.`)
    await clock.sleep(grace, { signal, name: "the grace time of orphans" })
  }
  const still = new Set((await currentOrphans(options)).map(({ id }) => id))
  const gone = found.filter(({ id }) => still.has(id))
  await remove(options, gone)
  return gone
}

/** One that cannot be removed, such as a load balancer that is stuck in PENDING, does not keep the others. */
async function remove(options: OrphansOptions, gone: readonly Orphan[]): Promise<void> {
  const { print, signal } = options
  let left = 0
  for (const orphan of gone) {
    const about = `the ${orphan.kind} ${orphan.name} (${orphan.id})`
    try {
      await removeOrphan(options, orphan, signal)
      print(`removed ${about}`)
    } catch (error) {
      if (signal.aborted) throw error
      left++
      print(`could not remove ${about}: ${messageOf(error)}`)
    }
  }
  if (left > 0)
    throw new PilothouseError(
      "CLOUD",
      `expected to remove ${gone.length}, found that ${left} could not be removed; see above, and try again later`,
    )
}

/** The owners are read after the cloud: what was made meanwhile has an owner then. */
async function currentOrphans({ client, cloud, cluster, project, signal }: OrphansOptions): Promise<readonly Orphan[]> {
  const owners = async () => {
    const [allPods, allServices] = await Promise.all([client.list(pods, { signal }), client.list(services, { signal })])
    return ownersAmong(allPods.items, allServices.items)
  }
  return findOrphans({ cloud, clusterMarks: { cluster }, project }, owners, signal)
}

function listed(found: readonly Orphan[]): readonly string[] {
  if (found.length === 0) return ["Nothing in the cloud is without an owner."]
  const rows = [
    ["KIND", "NAME", "ID", "MADE FOR"],
    ...found.map(({ kind, name, id, owner }) => [kind, name, id, `${owner}, which is gone`]),
  ]
  const widths = [0, 1, 2].map((at) => largestOf(rows.map((row) => row[at]!.length)))
  return rows.map((row) => row.map((cell, at) => (at < 3 ? cell.padEnd(widths[at]!) : cell)).join("  "))
}
