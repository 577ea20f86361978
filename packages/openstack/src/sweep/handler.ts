import { type Namespace, namespaces, type Pod, pods, type Service, services } from "@pilothouse/api/core/v1"
import { type CustomOperation, type EventHandler, eventHandler, executor, plan, type Reader } from "@pilothouse/runtime"
import { type Clock, type Duration, milliseconds, smallestOf } from "@pilothouse/seams"
import type { OpenStack } from "../clients/cloud.ts"
import { type ClusterMarks, isOfCluster, markedOwner } from "../drivers/creation/cluster-marks.ts"
import { type PodVifDriver, podPortOwner, subportOwner } from "../drivers/vif/pod-vif.ts"
import { readAnnotation, vifAnnotation } from "../handlers/annotations.ts"
import { isFinished } from "../handlers/vif/decide.ts"
import { decodeVif } from "../versioned-objects/annotations.ts"

export interface SweepOptions extends OrphanOptions {
  readonly clock: Clock
  /** Takes a port off its trunk before it goes. */
  readonly driver: Pick<PodVifDriver, "remove">
  /** Between two sweeps; 10 min by default. */
  readonly every?: Duration
  /** How long an object has to be without an owner before it is deleted; 5 min by default. */
  readonly grace?: Duration
  /** Only says what it would remove. */
  readonly dryRun?: boolean
}

interface RemoveOrphan extends CustomOperation {
  readonly do: "remove-orphan"
  readonly orphan: Orphan
}

interface Found {
  readonly due: readonly Orphan[]
  readonly waiting: readonly Orphan[]
  /** Milliseconds until the next of those that wait is due. */
  readonly nextDue?: number
}

/** Milliseconds. Owners of what the first sweep finds were deleted while no controller ran: everything was listed a moment ago. */
const graceAtStart = 30_000

/** The namespace by which a cluster is known: there is one of it, and it never goes. */
const only = "kube-system"

/** Deletes from the cloud what has had no owner for a while. Reads all pods and Services periodically, never per event. */
export function sweepHandler(options: SweepOptions): EventHandler {
  const { clock, every = "10m", grace = "5m", dryRun = false } = options
  const dueAt = new Map<string, number>()
  let isFirst = true
  return eventHandler<Namespace, Found>({
    name: "sweep",
    of: namespaces,
    reads: [pods, services],
    executors: [executor<RemoveOrphan>("remove-orphan", ({ orphan }, signal) => removeOrphan(options, orphan, signal))],
    async observe({ key }, read, signal) {
      if (key !== only) return { due: [], waiting: [] }
      const found = await findOrphans(options, () => ownersIn(read), signal)
      const now = clock.elapsed()
      const wait = isFirst ? Math.min(graceAtStart, milliseconds(grace)) : milliseconds(grace)
      isFirst = false
      for (const { id } of found) dueAt.set(id, dueAt.get(id) ?? now + wait)
      for (const id of dueAt.keys()) if (!found.some((one) => one.id === id)) dueAt.delete(id)
      const [due, waiting] = [found.filter(({ id }) => dueAt.get(id)! <= now), found.filter(({ id }) => dueAt.get(id)! > now)]
      return { due, waiting, nextDue: smallestOf(waiting.map(({ id }) => dueAt.get(id)! - now)) }
    },
    onPresent({ key, object }, { due, waiting, nextDue }) {
      if (key !== only) return plan().nothing("the sweep is of the whole cluster")
      const made = plan().nothing(`${due.length + waiting.length} objects in the cloud have no owner`)
      made.requeueAfter(waiting.length > 0 ? (nextDue ?? grace) : every, "it is time for another sweep")
      for (const orphan of due) {
        const { kind, name, owner } = orphan
        const reason = `it was made for ${owner}, which is gone`
        if (dryRun) made.event(object, "Normal", "KuryrOrphan", `the ${kind} ${name} would be removed: ${reason}`)
        else made.operation({ do: "remove-orphan", to: `the ${kind} ${name}`, reason, orphan } as RemoveOrphan)
      }
      return made
    },
  })
}

function ownersIn(read: Reader): Owners {
  return ownersAmong(read.list(pods), read.list(services))
}

/** An object in the cloud that was created for this cluster and has no owner in it. */
export interface Orphan {
  readonly kind: "port" | "load balancer" | "floating IP"
  readonly id: string
  readonly name: string
  readonly owner: string
}

/** The owners that exist. */
export interface Owners {
  /** UIDs of pods that have not finished, and of Services. */
  readonly uids: ReadonlySet<string>
  /** Ports that the annotations of pods name. */
  readonly ports: ReadonlySet<string>
}

/** The project that is searched, and the marks of the cluster whose objects count. */
export interface OrphanOptions {
  readonly cloud: Pick<OpenStack, "neutron" | "octavia">
  readonly clusterMarks: ClusterMarks
  readonly project: string
}

/**
 * Returns what is left of deleted pods and Services. Only what is marked for this cluster, with an owner: spare ports are not, and another cluster's
 * objects in the same project are ignored. The owners are read last: the owners of newer objects are known then.
 */
export async function findOrphans(
  { cloud, clusterMarks, project }: OrphanOptions,
  owners: () => Owners | Promise<Owners>,
  signal: AbortSignal,
): Promise<readonly Orphan[]> {
  const { neutron, octavia } = cloud
  const [ports, balancers, floating] = await Promise.all([
    neutron.ports.list({ project_id: project, device_owner: [podPortOwner, subportOwner] }, { signal }),
    octavia.loadBalancers.list({ project_id: project }, { signal }),
    neutron.floatingIps.list({ project_id: project }, { signal }),
  ])
  const there = await owners()
  const found = [
    ...ports.map((port) => ({ kind: "port" as const, object: port, name: port.name, used: there.ports.has(port.id) })),
    ...balancers.map((one) => ({
      kind: "load balancer" as const,
      object: one,
      name: one.name,
      // One that takes no change now is refused, and tried again; one that is being deleted needs no deletion.
      used: one.provisioning_status === "PENDING_DELETE",
    })),
    ...floating.map((one) => ({ kind: "floating IP" as const, object: one, name: one.floating_ip_address, used: false })),
  ]
  return found.flatMap(({ kind, object, name, used }) => {
    const owner = markedOwner(object)
    if (!isOfCluster(object, clusterMarks) || owner === undefined || used || there.uids.has(owner)) return []
    return [{ kind, id: object.id, name, owner }]
  })
}

/** Returns the owners whose ports and load balancers are in use. A finished pod owns nothing any more. */
export function ownersAmong(pods: readonly Pod[], services: readonly Service[]): Owners {
  const alive = pods.filter((pod) => !isFinished(pod))
  const uids = [...alive, ...services].map(({ metadata }) => metadata.uid ?? "")
  const ports = alive.map((pod) => readAnnotation(pod, vifAnnotation, decodeVif).value?.id ?? "")
  return { uids: new Set(uids), ports: new Set(ports) }
}

/** What removes an orphan: load balancers with all their parts, ports also from their trunk. */
export interface RemoveOptions {
  readonly cloud: Pick<OpenStack, "neutron" | "octavia">
  /** Takes a port off its trunk before it goes. */
  readonly driver: Pick<PodVifDriver, "remove">
}

/** Succeeds where it is gone. */
export async function removeOrphan({ cloud, driver }: RemoveOptions, { kind, id }: Orphan, signal: AbortSignal): Promise<void> {
  if (kind === "load balancer") await cloud.octavia.loadBalancers.delete(id, { cascade: true, signal })
  else if (kind === "floating IP") await cloud.neutron.floatingIps.delete(id, { signal })
  else {
    const port = await cloud.neutron.ports.find(id, { signal })
    if (port !== undefined) await driver.remove([{ port }], signal)
  }
}
