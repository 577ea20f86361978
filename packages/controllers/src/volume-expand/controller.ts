import { compareAmounts } from "@pilothouse/api"
import { type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, type Reader } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"
import { decide, type Observed, storageOf } from "./decide.ts"

export const volumeExpandDescriptor = descriptor({
  name: "persistentvolume-expander-controller",
  aliases: ["persistentvolume-expander"],
  create: () => volumeExpandController(),
})

/**
 * Says of a claim that requests more than it has who is to expand its volume: an external resizer, as all drivers of CSI have one. Of an in-tree volume
 * of a cloud it writes the name of the driver that has taken over onto the claim, by which that driver's resizer finds it.
 * Watches bound claims; reads the volume from the server.
 */
export function volumeExpandController(): Controller {
  return controller("persistentvolume-expander-controller", {
    for: persistentVolumeClaims,
    predicate: (change) => mayExpand(change as Change<PersistentVolumeClaim>),
    eventSource: "volume_expand",
    maxConcurrentReconciles: 10,
    observe,
    decide,
  })
}

async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const claim = read.get(persistentVolumeClaims, key)
  if (claim?.status?.phase !== "Bound") return undefined
  const { requested, capacity } = storageOf(claim)
  if (requested === undefined || (capacity !== undefined && compareAmounts(requested, capacity) <= 0)) return undefined
  return { claim, volume: await read.live(persistentVolumes, claim.spec?.volumeName ?? "") }
}

/** A claim is looked at when its request grows, and when its volume has. */
function mayExpand(change: Change<PersistentVolumeClaim>): boolean {
  if (change.object.status?.phase !== "Bound" || change.type === "resync") return false
  if (change.type !== "updated") return true
  const [before, now] = [storageOf(change.old), storageOf(change.object)]
  return grew(before.requested, now.requested) || grew(before.capacity, now.capacity)
}

function grew(before: ReturnType<typeof storageOf>["requested"], now: ReturnType<typeof storageOf>["requested"]): boolean {
  return now !== undefined && (before === undefined || compareAmounts(now, before) > 0)
}
