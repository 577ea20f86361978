import { type ClusterMarks, isOfCluster, isOfOtherCluster, markedOwner } from "../creation/cluster-marks.ts"
import { type PodPort, spareName } from "../vif/pod-vif.ts"

/** A pod that exists, and the port that its annotation names. */
export interface KnownPod {
  readonly uid: string
  readonly port?: string
  /** False: another controller serves the pod. */
  readonly isServed?: boolean
}

/** What is there at the start. */
export interface FoundPorts {
  /** By the UID of their pod. */
  readonly of: ReadonlyMap<string, PodPort>
  /** Of those the ones that do not say so, and that are certainly this pod's. */
  readonly unmarked: ReadonlyMap<string, PodPort>
  readonly spare: readonly PodPort[]
  /** Of this cluster, and of no pod that is known. */
  readonly orphans: readonly PodPort[]
}

/** The pod that uses a port. */
interface PortUser {
  /** The pod's UID; undefined: no pod that is known. */
  readonly uid?: string
  /** It does not say so, and there is no doubt. */
  readonly isUnmarked: boolean
}

/** `named` is the UID on the port, `users` are the UIDs of the pods whose annotations name the port. */
function portUser(port: PodPort["port"], named: string | undefined, users: readonly string[], clusterMarks: ClusterMarks): PortUser {
  const itself = isOfOtherCluster(port, clusterMarks) ? undefined : named
  const uid = users.find((one) => one === itself) ?? users[0] ?? itself
  const isCertain = users.length <= 1 && (itself ?? uid) === uid
  return { uid, isUnmarked: isCertain && markedOwner(port) === undefined && !isOfOtherCluster(port, clusterMarks) }
}

/**
 * Pure. What an annotation names comes first: of two ports that are marked for one pod it is the one in use; of two pods whose annotations name one
 * port, the one of which the port itself says so: annotations get copied. Ports of others are left out: those of another cluster even where its pod has
 * the UID of a pod of this cluster, as after a backup that was restored twice.
 */
export function sortPorts(ports: readonly PodPort[], known: readonly KnownPod[], clusterMarks: ClusterMarks, pooled: boolean): FoundPorts {
  const uids = new Set(known.map(({ uid }) => uid))
  const annotated = Map.groupBy(known, ({ port }) => port)
  const others = new Set(known.filter(({ isServed: its }) => its === false).map(({ uid }) => uid))
  const of = new Map<string, PodPort>()
  const unmarked = new Map<string, PodPort>()
  const spare: PodPort[] = []
  const orphans: PodPort[] = []
  for (const port of ports.toSorted((one, other) => Number(annotated.has(other.port.id)) - Number(annotated.has(one.port.id)))) {
    const named = markedOwner(port.port) ?? port.port.device_id
    const users = annotated.get(port.port.id)?.map(({ uid }) => uid) ?? []
    const { uid, isUnmarked } = portUser(port.port, uids.has(named) ? named : undefined, users, clusterMarks)
    if (uid !== undefined && !of.has(uid)) {
      of.set(uid, port)
      if (isUnmarked && !others.has(uid)) unmarked.set(uid, port)
    } else if (!isOfCluster(port.port, clusterMarks)) continue
    else if (pooled && named === "" && port.port.name === spareName) spare.push(port)
    else orphans.push(port)
  }
  return { of, unmarked, spare, orphans }
}
