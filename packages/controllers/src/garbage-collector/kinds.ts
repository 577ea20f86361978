import { type Descriptor, joinKey, type KubeObject, keyOf, type OwnerReference } from "@pilothouse/api"
import { controllerRevisions, daemonSets, deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { cronJobs, jobs } from "@pilothouse/api/batch/v1"
import { leases } from "@pilothouse/api/coordination/v1"
import * as core from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { podDisruptionBudgets } from "@pilothouse/api/policy/v1"

/** What is collected, and what is known as an owner. No two have the same kind's name: a key begins with it. */
export const collected: readonly Descriptor[] = [
  core.pods,
  replicaSets,
  deployments,
  statefulSets,
  daemonSets,
  jobs,
  cronJobs,
  controllerRevisions,
  core.replicationControllers,
  endpointSlices,
  core.endpoints,
  core.services,
  core.configMaps,
  core.secrets,
  core.persistentVolumeClaims,
  leases,
  core.nodes,
  core.serviceAccounts,
  core.resourceQuotas,
  podDisruptionBudgets,
  horizontalPodAutoscalers,
]

/** "Pod default/web-1": the key of this loop's queue. */
export function keyFor(of: Descriptor, object: KubeObject): string {
  return `${of.kind} ${keyOf(object)}`
}

/** The kind and the key in its cache. */
export function partsOf(key: string): { readonly of: Descriptor; readonly key: string } | undefined {
  const at = key.indexOf(" ")
  const of = collected.find(({ kind }) => kind === key.slice(0, at))
  return of && { of, key: key.slice(at + 1) }
}

/** Where the owner would stand. Undefined: it is of a kind that is not known here, or one that cannot own the object. */
export function ownerPlace({ metadata }: KubeObject, { apiVersion, kind, name }: OwnerReference) {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : ""
  // Any version of the kind is that kind.
  const of = collected.find((known) => known.kind === kind && known.group === group)
  // Nobody can say in which namespace the owner of an object without one should be.
  if (of === undefined || (of.namespaced && !metadata.namespace)) return undefined
  return { of, key: of.namespaced ? joinKey({ namespace: metadata.namespace, name }) : name }
}
