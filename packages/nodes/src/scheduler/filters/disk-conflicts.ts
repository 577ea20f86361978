import type { Pod, Volume } from "@pilothouse/api/core/v1"
import type { Filter } from "./filter.ts"
import { forNow } from "./refuse.ts"

const refusal = forNow("node(s) had no available disk")

/** A disk that a pod names itself, and not by a claim. */
interface Disk {
  /** The same disk has the same name; one of RBD has one for each of its monitors. */
  readonly names: readonly string[]
  /** Whether others that only read may have it too. */
  readonly shared: boolean
}

/** A disk that can be attached once serves the pods of a node only where all of them read. */
export const diskConflicts: Filter = ({ pod }) => {
  const wanted = disksOf(pod.pod)
  if (wanted.length === 0) return undefined
  return (node) => {
    for (const other of node.pods()) {
      const used = disksOf(other.pod)
      if (wanted.some((disk) => used.some((one) => isConflict(disk, one)))) return refusal
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
