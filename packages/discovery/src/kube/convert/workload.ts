import { controllerOf } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"

/** The name people know a pod's workload by: a ReplicaSet made by a Deployment is that Deployment. */
export function workloadOf(pod: Pod): string {
  const owner = controllerOf(pod)
  if (owner === undefined) return pod.metadata.name ?? ""
  const hash = pod.metadata.labels?.["pod-template-hash"]
  const made = owner.kind === "ReplicaSet" && hash !== undefined && owner.name.endsWith(`-${hash}`)
  return made ? owner.name.slice(0, -hash.length - 1) : owner.name
}
