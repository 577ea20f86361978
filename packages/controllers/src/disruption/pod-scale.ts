import { controllerOf, isNotFound, type KubeObject, type OwnerReference, resourceNameOf } from "@pilothouse/api"
import { deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { replicationControllers } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import { getScale, hasScales, parseGroupVersion } from "../scale-target/find-scale.ts"

/** How many pods a controller is to have. */
export interface PodScale {
  readonly uid: string
  readonly replicas: number
}

const apps = ["apps", "extensions"]

/**
 * Returns the scale of the controller of a pod: from the caches where it is a workload of Kubernetes, from its scale subresource where it is anything
 * else. Undefined when it is gone. Throws where its kind is not known or has no scales (a DaemonSet, a Job).
 */
export async function podScale(read: Reader, owner: OwnerReference, namespace: string): Promise<PodScale | undefined> {
  return cachedScale(read, owner, namespace) ?? (await liveScale(read, owner, namespace))
}

function cachedScale(read: Reader, owner: OwnerReference, namespace: string): PodScale | undefined {
  const { group } = parseGroupVersion(owner.apiVersion)
  const key = `${namespace}/${owner.name}`
  if (owner.kind === "ReplicationController" && group === "") return scaleIn(read.get(replicationControllers, key), owner)
  if (owner.kind === "StatefulSet" && group === "apps") return scaleIn(read.get(statefulSets, key), owner)
  if (owner.kind === "ReplicaSet" && apps.includes(group)) return replicaSetScale(read, owner, namespace)
  return undefined
}

/** Of its Deployment where it has one: a ReplicaSet alone says nothing in the middle of a rollout. */
function replicaSetScale(read: Reader, owner: OwnerReference, namespace: string): PodScale | undefined {
  const set = read.get(replicaSets, `${namespace}/${owner.name}`)
  if (set === undefined || set.metadata.uid !== owner.uid) return undefined
  const above = controllerOf(set)
  if (above?.kind !== "Deployment") return scaleIn(set, owner)
  if (!apps.includes(parseGroupVersion(above.apiVersion).group)) return undefined
  return scaleIn(read.get(deployments, `${namespace}/${above.name}`), above)
}

function scaleIn(found: (KubeObject & { readonly spec?: { readonly replicas?: number } }) | undefined, { uid }: OwnerReference) {
  return found?.metadata.uid === uid ? { uid, replicas: found.spec?.replicas ?? 1 } : undefined
}

async function liveScale(read: Reader, owner: OwnerReference, namespace: string): Promise<PodScale | undefined> {
  const { group, version } = parseGroupVersion(owner.apiVersion)
  const of = (await read.versionsOf(group, owner.kind)).find((known) => known.version === version)
  if (of === undefined) throw new PilothouseError("INVALID", `no matches for kind "${owner.kind}" in version "${owner.apiVersion}"`)
  if (!hasScales(of)) throw new PilothouseError("INVALID", `${resourceNameOf(of)} does not implement the scale subresource`)
  const scale = await getScale(read, of, { namespace, name: owner.name }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  return scale?.metadata.uid === owner.uid ? { uid: owner.uid, replicas: scale.spec?.replicas ?? 0 } : undefined
}
