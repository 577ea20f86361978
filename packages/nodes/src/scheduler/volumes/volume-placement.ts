import { bestVolumeFor, compareAmounts, isVolumeFor, matchesLabels, matchesNodeSelector, parseQuantity, selectorOf } from "@pilothouse/api"
import type { Node, PersistentVolume, PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { CSIStorageCapacity, StorageClass } from "@pilothouse/api/storage/v1"
import type { ClaimView, VolumesView } from "./volumes.ts"

/** The annotation that names the node for which a volume is provisioned. */
export const selectedNode = "volume.kubernetes.io/selected-node"

/** How the claims of a pod get their volumes where it goes. */
export interface Placement {
  /** Why not on this node. */
  readonly reasons: readonly string[]
  readonly bind: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[]
  readonly provision: readonly PersistentVolumeClaim[]
}

const elsewhere = "node(s) didn't match PersistentVolume's node affinity"
const none = "node(s) didn't find available persistent volumes to bind"
const tooLittle = "node(s) did not have enough free storage"
const gone = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"

/** Decides whether the claims of a pod can be had on a node: which volumes to bind, which to provision, or why not. */
export function placementOn(node: Node, { claims }: VolumesView): Placement {
  const bound = claims.filter(({ isBound }) => isBound)
  const conflicts = bound.some(({ volume }) => volume !== undefined && !canBeUsed(volume, node)) ? [elsewhere] : []
  const missing = bound.some(({ volume }) => volume === undefined) ? [gone] : []
  const bind: Placement["bind"][number][] = []
  const provision: PersistentVolumeClaim[] = []
  const taken = new Set<string | undefined>()
  for (const view of claims.filter(({ isBound }) => !isBound).sort(smallestFirst)) {
    const volume = volumeOn(node, view, taken)
    if (volume !== undefined) {
      bind.push({ claim: view.claim, volume })
      taken.add(volume.metadata.name)
    } else if (canProvision(view, node) && !hasRoom(view, node)) return { reasons: [...conflicts, tooLittle, ...missing], bind, provision }
    else if (canProvision(view, node)) provision.push(view.claim)
    else return { reasons: [...conflicts, none, ...missing], bind, provision }
  }
  return { reasons: [...conflicts, ...missing], bind, provision }
}

/** Reports whether the claim has a selected node, or a volume is reserved for it. */
export function hasBegun({ claim, candidates }: ClaimView): boolean {
  return claim.metadata.annotations?.[selectedNode] !== undefined || candidates.some((volume) => isVolumeFor(volume, claim))
}

function canBeUsed({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required
  if (required === undefined) return true
  try {
    return matchesNodeSelector(required, node)
  } catch {
    // One that cannot be read matches nothing.
    return false
  }
}

/** A claim with a selected node gets no other volume; one with a reserved volume gets that one. */
function volumeOn(node: Node, { claim, candidates }: ClaimView, taken: ReadonlySet<string | undefined>): PersistentVolume | undefined {
  if (claim.metadata.annotations?.[selectedNode] !== undefined) return undefined
  const possible = candidates.filter((volume) => !taken.has(volume.metadata.name) && canBeUsed(volume, node))
  return bestVolumeFor(claim, possible, false)
}

function canProvision({ claim, candidates, storageClass }: ClaimView, node: Node): boolean {
  const chosen = claim.metadata.annotations?.[selectedNode]
  if (chosen !== undefined && chosen !== node.metadata.name) return false
  // A volume is kept for it elsewhere.
  if (chosen === undefined && candidates.some((volume) => isVolumeFor(volume, claim))) return false
  const provisioner = storageClass?.provisioner ?? ""
  return provisioner !== "" && provisioner !== "kubernetes.io/no-provisioner" && allows(storageClass, node)
}

/** Reports whether the driver has room for the volume where the node is. */
function hasRoom({ claim, capacities }: ClaimView, node: Node): boolean {
  const asked = claim.spec?.resources?.requests?.storage
  if (capacities === undefined || asked === undefined) return true
  return capacities.some((one) => canHold(one, asked) && isAccessible(one, node))
}

function canHold({ maximumVolumeSize, capacity }: CSIStorageCapacity, asked: string): boolean {
  const limit = maximumVolumeSize ?? capacity
  return limit !== undefined && compareAmounts(parseQuantity(limit), parseQuantity(asked)) >= 0
}

/** Without a topology no node can reach it. */
function isAccessible({ nodeTopology }: CSIStorageCapacity, { metadata }: Node): boolean {
  return nodeTopology !== undefined && matchesLabels(selectorOf(nodeTopology), metadata.labels)
}

function allows(storageClass: StorageClass | undefined, { metadata }: Node): boolean {
  const terms = storageClass?.allowedTopologies ?? []
  if (terms.length === 0) return true
  return terms.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(metadata.labels?.[key] ?? "")),
  )
}

function smallestFirst(a: ClaimView, b: ClaimView): number {
  const size = ({ claim }: ClaimView) => parseQuantity(claim.spec?.resources?.requests?.storage ?? "0")
  return compareAmounts(size(a), size(b))
}
