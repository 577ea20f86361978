import { amountMilliValue, isSidecar, parseQuantity, podRequests } from "@pilothouse/api"
import type { Container, Pod } from "@pilothouse/api/core/v1"
import type { PodValues } from "./pod-usage.ts"

/**
 * What each pod requests of a resource, in thousandths: for one container, for the pod as a whole where it says so, or for all its containers,
 * sidecars included. Throws where a request is missing: a share of nothing cannot be said.
 */
export function requestsOf(pods: readonly Pod[], container: string, resource: string): PodValues {
  return new Map(pods.map((pod) => [pod.metadata.name ?? "", requestOf(pod, container, resource)]))
}

function requestOf(pod: Pod, container: string, resource: string): number {
  if (container !== "") return containerRequest(pod, container, resource)
  return hasPodRequests(pod) ? podRequest(pod, resource) : sumOfContainers(pod, resource)
}

function hasPodRequests({ spec }: Pod): boolean {
  const names = Object.keys(spec?.resources?.requests ?? {})
  return names.some((name) => name === "cpu" || name === "memory" || name.startsWith("hugepages-"))
}

function podRequest(pod: Pod, resource: string): number {
  const amount = podRequests(pod).get(resource)
  if (amount === undefined) throw new Error(`missing pod-level request for ${resource} in Pod ${pod.metadata.name}`)
  return amountMilliValue(amount)
}

function sumOfContainers(pod: Pod, resource: string): number {
  return running(pod).reduce((sum, container) => sum + requestIn(container, pod, resource), 0)
}

function containerRequest(pod: Pod, name: string, resource: string): number {
  const found = running(pod).find((container) => container.name === name)
  if (found === undefined) throw new Error(`container ${name} not found in Pod ${pod.metadata.name}`)
  return requestIn(found, pod, resource)
}

function running({ spec }: Pod): readonly Container[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)]
}

function requestIn({ name, resources }: Container, pod: Pod, resource: string): number {
  const request = resources?.requests?.[resource]
  if (request === undefined) throw new Error(`missing request for ${resource} in container ${name} of Pod ${pod.metadata.name}`)
  return amountMilliValue(parseQuantity(String(request)))
}
