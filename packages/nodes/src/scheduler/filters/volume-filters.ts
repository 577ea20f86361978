import type { PersistentVolume, Pod, Volume } from "@pilothouse/api/core/v1"
import type { NodeView } from "../cache/node-state.ts"
import type { CsiVolume, CsiVolumesView } from "../volumes/csi-volumes.ts"
import { placementOn } from "../volumes/volume-placement.ts"
import type { Filter } from "./filter.ts"
import { resolvable, unresolvable } from "./refuse.ts"

const diskInUse = resolvable("node(s) had no available disk")

/** A disk that a pod names itself, and not by a claim. */
interface Disk {
  /** The same disk has the same name; one of RBD has one for each of its monitors. */
  readonly names: readonly string[]
  /** Whether others that only read may have it too. */
  readonly shared: boolean
}

/** The filter of VolumeRestrictions: a disk that can be attached once serves the pods of a node only where all of them read. */
export const diskConflicts: Filter = ({ pod }) => {
  const wanted = disksOf(pod.pod)
  if (wanted.length === 0) return undefined
  return (node) => {
    for (const other of node.pods()) {
      const used = disksOf(other.pod)
      if (wanted.some((disk) => used.some((one) => isConflict(disk, one)))) return diskInUse
    }
    return undefined
  }
}

function isConflict(one: Disk, other: Disk): boolean {
  return !(one.shared && other.shared) && one.names.some((name) => other.names.includes(name))
}

function disksOf({ spec }: Pod): readonly Disk[] {
  return (spec?.volumes ?? []).flatMap((volume) => diskOf(volume) ?? [])
}

function diskOf({ gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd }: Volume): Disk | undefined {
  if (gce !== undefined) return { names: [`gce ${gce.pdName}`], shared: gce.readOnly === true }
  // Never twice, not even to read.
  if (aws !== undefined) return { names: [`aws ${aws.volumeID}`], shared: false }
  if (iscsi !== undefined) return { names: [`iscsi ${iscsi.iqn}`], shared: iscsi.readOnly === true }
  if (rbd === undefined) return undefined
  const { monitors, pool = "rbd", image, readOnly } = rbd
  return { names: monitors.map((monitor) => `rbd ${monitor} ${pool} ${image}`), shared: readOnly === true }
}

const tooManyVolumes = resolvable("node(s) exceed max volume count")

/** The filter of NodeVolumeLimits: drivers say by the CSINode of a node how many volumes they can attach to it; one that is there already takes no place of its own. */
export const volumeLimits: Filter = ({ csi }) => {
  if (csi === undefined) return undefined
  return (node) => {
    if (csi.wanted.every(({ driver }) => csi.limit(node.name, driver) === undefined)) return undefined
    const there = volumesOn(node, csi)
    const coming = byId(csi.wanted.filter(({ id }) => !there.has(id)))
    for (const driver of new Set(coming.values())) {
      const limit = csi.limit(node.name, driver)
      if (limit !== undefined && countOf(there, driver) + countOf(coming, driver) > limit) return tooManyVolumes
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

const claimInUse = resolvable(
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
)

/** VolumeRestrictions for ReadWriteOncePod: a claim that only one pod may use is taken wherever that pod is. */
export const readWriteOncePod: Filter = ({ volumes, nodes }) => {
  const taken = volumes.claims.some(
    ({ key, claim }) => claim.spec?.accessModes?.includes("ReadWriteOncePod") && nodes.placed.usersOf(key) > 0,
  )
  return taken ? () => claimInUse : undefined
}

/** The filter of VolumeBinding: refuses nodes on which a claim of the pod can be neither bound nor provisioned. */
export const volumeBinding: Filter = ({ volumes }) => {
  if (volumes.claims.length === 0) return undefined
  return ({ node }) => {
    const { reasons } = placementOn(node, volumes)
    return reasons.length === 0 ? undefined : unresolvable(...reasons)
  }
}

const wrongZone = unresolvable("node(s) had no available volume zone")

/** Labels by which volumes of old say where they are, and what each is called today. */
const zoneLabels: Readonly<Record<string, string>> = {
  "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region": "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}

interface Place {
  readonly label: string
  readonly values: readonly string[]
}

/** The filter of VolumeZone: refuses nodes outside the zone or region that a bound volume's labels name. */
export const volumeZone: Filter = ({ volumes }) => {
  const places = volumes.claims.flatMap(({ volume }) => (volume === undefined ? [] : placesOf(volume)))
  if (places.length === 0) return undefined
  return ({ labels }) => {
    // A node that says nothing of zones is in the only one there is.
    if (!Object.keys(zoneLabels).some((label) => labels[label] !== undefined)) return undefined
    return places.every(({ label, values }) => values.includes(labels[label] ?? labels[zoneLabels[label] ?? ""] ?? ""))
      ? undefined
      : wrongZone
  }
}

/** A volume that is in several zones joins their names with two underscores. */
function placesOf({ metadata }: PersistentVolume): readonly Place[] {
  return Object.keys(zoneLabels).flatMap((label) => {
    const value = metadata.labels?.[label]
    return value === undefined ? [] : [{ label, values: value.split("__") }]
  })
}
