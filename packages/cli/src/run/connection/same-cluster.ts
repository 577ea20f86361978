import { namespaces } from "@pilothouse/api/core/v1"
import { createClient } from "@pilothouse/runtime"
import { PilothouseError, type Transport } from "@pilothouse/seams"

export interface Way {
  readonly server: string
  readonly transport: Transport
}

/**
 * Another address may be another cluster. Watches stay where they are for a while, and writes would go elsewhere at once: what was seen in the one would
 * be done in the other. So it has to show that it is the same.
 */
export async function refuseOtherCluster(now: Way, next: Way): Promise<void> {
  if (now.server === next.server) return
  const [before, after] = await Promise.all([clusterId(now), clusterId(next)])
  if (before !== undefined && before === after) return
  const found = before === undefined || after === undefined ? "one that does not show to be the same cluster" : "another cluster"
  throw new PilothouseError("INVALID", `expected the cluster of ${now.server}, found ${found} at ${next.server}; start again to work there`)
}

/** Every cluster has one of these, with a uid that no other has. Listed: who may do no more than look can do that. */
async function clusterId({ transport }: Way): Promise<string | undefined> {
  try {
    const { items } = await createClient(transport, { userAgent: "pilothouse" }).list(namespaces, {
      fieldSelector: "metadata.name=kube-system",
    })
    return items[0]?.metadata.uid
  } catch {
    // Whatever it was: it did not show which one it is.
    return undefined
  }
}
