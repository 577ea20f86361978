import { controllerOf, fromRequirements, matchesLabels, type Selector, selectorFromLabels, selectorOf } from "@pilothouse/api"
import { replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { type Pod, replicationControllers, services } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"

/** Which pods are alike where the pod does not say so itself: those of its Services and of its owner. Undefined: it has neither. */
export function likePods(pod: Pod, read: Reader): Selector | undefined {
  const { namespace = "", labels } = pod.metadata
  const byService = read.list(services, namespace).flatMap(({ spec }) => {
    const selector = selectorFromLabels(spec?.selector)
    return matchesLabels(selector, labels) ? selector.requirements : []
  })
  const requirements = [...byService, ...(ownerSelector(pod, read)?.requirements ?? [])]
  return requirements.length === 0 ? undefined : fromRequirements(requirements)
}

function ownerSelector(pod: Pod, read: Reader): Selector | undefined {
  const owner = controllerOf(pod)
  if (owner === undefined) return undefined
  const key = `${pod.metadata.namespace}/${owner.name}`
  switch (`${owner.apiVersion} ${owner.kind}`) {
    case "v1 ReplicationController":
      return selectorFromLabels(read.get(replicationControllers, key)?.spec?.selector)
    case "apps/v1 ReplicaSet":
      return selectorOf(read.get(replicaSets, key)?.spec?.selector)
    case "apps/v1 StatefulSet":
      return selectorOf(read.get(statefulSets, key)?.spec?.selector)
    default:
      return undefined
  }
}
