import type { NodeView } from "../cache/node-state.ts"
import type { CsiVolume, CsiVolumesView } from "../volumes/csi-volumes.ts"
import type { Filter } from "./filter.ts"
import { forNow } from "./refuse.ts"

const refusal = forNow("node(s) exceed max volume count")

/** Drivers say by the CSINode of a node how many volumes they can attach to it; one that is there already takes no place of its own. */
export const volumeLimits: Filter = ({ csi }) => {
  if (csi === undefined) return undefined
  return (node) => {
    if (csi.wanted.every(({ driver }) => csi.limit(node.name, driver) === undefined)) return undefined
    const there = volumesOn(node, csi)
    const coming = byId(csi.wanted.filter(({ id }) => !there.has(id)))
    for (const driver of new Set(coming.values())) {
      const limit = csi.limit(node.name, driver)
      if (limit !== undefined && countOf(there, driver) + countOf(coming, driver) > limit) return refusal
    }
    return undefined
  }
}

/** The driver of each volume that is there, by id. */
function volumesOn(node: NodeView, csi: CsiVolumesView): ReadonlyMap<string, string> {
  const used = Array.from(node.claims(), (claim) => csi.behind(claim) ?? []).flat()
  return byId([...used, ...csi.attachedTo(node.name)])
}

function byId(volumes: readonly CsiVolume[]): ReadonlyMap<string, string> {
  return new Map(volumes.map(({ id, driver }) => [id, driver]))
}

function countOf(volumes: ReadonlyMap<string, string>, driver: string): number {
  return [...volumes.values()].filter((one) => one === driver).length
}
