import { type Namespace, namespaces, pods, services } from "@pilothouse/api/core/v1"
import { type CustomOperation, type EventHandler, eventHandler, executor, plan, type Reader } from "@pilothouse/runtime"
import { type Clock, type Duration, milliseconds, smallestOf } from "@pilothouse/seams"
import type { PodVifDriver } from "../drivers/vif/pod-vif.ts"
import { findOrphans, type Orphan, type OrphanOptions, type Owners, ownersAmong, removeOrphan } from "./orphans.ts"

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
