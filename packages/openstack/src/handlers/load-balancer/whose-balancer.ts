import type { LoadBalancer } from "../../clients/octavia/types.ts"
import { type ClusterMarks, isOfCluster, isOfOtherCluster, markedOwner } from "../../drivers/identity.ts"

export interface BalancerName {
  readonly uid: string
  /** kuryr's: "namespace/name". */
  readonly name: string
  /** The address of the Service; undefined: it has none. */
  readonly ip?: string
  /** The subnet of that address; undefined: nobody has said. */
  readonly subnet?: string
  /** The id that the state annotation has. */
  readonly id?: string
}

/**
 * Pure: which of these is the Service's. One that says whose it is, is that one's and nobody else's, whatever annotations say: they get copied. Of those
 * that say nothing, kuryr's, a name alone is no proof: another cluster in the project, or a person, may have given it. Nor is an id and a name: a backup
 * that was restored into another cluster brings both, and only the address is new.
 */
export function ownedBalancer(
  all: readonly LoadBalancer[],
  { uid, name, ip, subnet, id }: BalancerName,
  clusterMarks: ClusterMarks,
): LoadBalancer | undefined {
  const alive = all.filter((one) => !isOfOtherCluster(one, clusterMarks) && one.provisioning_status !== "DELETED")
  const byOwner = alive.find((one) => isOfCluster(one, clusterMarks) && markedOwner(one) === uid)
  const unmarked = alive.filter((one) => markedOwner(one) === undefined)
  const isThere = (one: LoadBalancer) => one.vip_address === ip && (subnet === undefined || one.vip_subnet_id === subnet)
  const byState = unmarked.find((one) => one.id === id && (ip === undefined ? one.name === name : isThere(one)))
  const byName = unmarked.find((one) => one.name === name && isThere(one))
  return byOwner ?? byState ?? byName
}
