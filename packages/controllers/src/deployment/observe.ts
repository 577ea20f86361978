import { selectorOf } from "@pilothouse/api"
import { type Deployment, deployments, type ReplicaSet, replicaSets } from "@pilothouse/api/apps/v1"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { byController, claim, type KubeOperation, liveOwner, type Reader } from "@pilothouse/runtime"
import { orphansByLabel, orphansMatching } from "../shared/orphan-index.ts"
import { isRecreate } from "./fenceposts.ts"
import { newReplicaSetName } from "./new-replica-set.ts"
import { splitReplicaSets } from "./replica-sets.ts"

export const replicaSetsByController = byController(replicaSets)
export const orphanReplicaSets = orphansByLabel(replicaSets)
export const podsByController = byController(pods)

/** A Deployment, its ReplicaSets and, for Recreate, their pods. */
export interface Observed {
  readonly deployment: Deployment
  /** Every ReplicaSet that is its own. */
  readonly replicaSets: readonly ReplicaSet[]
  /** Adoptions and releases of ReplicaSets. */
  readonly claims: readonly KubeOperation[]
  /** The pods of its old ReplicaSets; read only for Recreate, which waits for them to go. */
  readonly pods: readonly Pod[]
  /** The ReplicaSet that has the name which the one of the present template would get; read only where there is none of that template. */
  readonly namesake?: ReplicaSet
}

/** Reads a Deployment and its ReplicaSets, claimed by a live read where an adoption is due; undefined when it is gone. */
export async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const first = read.get(deployments, key)
  if (first === undefined) return undefined
  const live = await liveOwner(read, claimOptions(first, read))
  // The caches may have changed during the live read.
  const deployment = live === undefined ? first : read.get(deployments, key)
  if (deployment === undefined) return undefined
  const { owned, adopt, release } = claim({ ...claimOptions(deployment, read), live })
  const { current, old } = splitReplicaSets(deployment, owned)
  const oldPods = isRecreate(deployment) ? old.flatMap((set) => read.byIndex(podsByController, set.metadata.uid ?? "")) : []
  // The holder of the name matters only while there is no such ReplicaSet.
  const namesake = current === undefined ? findNamesake(deployment, read) : undefined
  return { deployment, replicaSets: owned, claims: [...adopt, ...release], pods: oldPods, namesake }
}

function claimOptions(deployment: Deployment, read: Reader) {
  const selector = selectorOf(deployment.spec?.selector)
  const orphans = orphansMatching(read, orphanReplicaSets, deployment.metadata.namespace ?? "", selector)
  const candidates = [...read.byIndex(replicaSetsByController, deployment.metadata.uid ?? ""), ...orphans]
  return { owner: deployment, kind: deployments, selector, candidates }
}

function findNamesake(deployment: Deployment, read: Reader): ReplicaSet | undefined {
  return read.get(replicaSets, `${deployment.metadata.namespace}/${newReplicaSetName(deployment)}`)
}
