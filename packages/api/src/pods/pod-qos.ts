import type { Pod, ResourceRequirements } from "../generated/core/v1.types.ts"
import { amountSign } from "../quantity/amount.ts"
import { addResources, equalResources, parseResources, type ResourceList, type Resources } from "../quantity/resource-list.ts"

/** The quality of service class of a pod. */
export type QosClass = "BestEffort" | "Burstable" | "Guaranteed"

/**
 * Returns the QoS class, by which a node that runs out of memory evicts: BestEffort asks for nothing; Guaranteed has limits for cpu and memory in every container
 * and asks for just those; everything else is Burstable. Amounts for the pod as a whole decide alone.
 */
export function podQosClass(pod: Pick<Pod, "spec">): QosClass {
  const parts = partsOf(pod)
  const requests = parts.reduce((sum, part) => addResources(sum, counted(part.requests)), counted(undefined))
  const limits = parts.reduce((sum, part) => addResources(sum, counted(part.limits)), counted(undefined))
  if (requests.size === 0 && limits.size === 0) return "BestEffort"
  const limited = parts.every((part) => counted(part.limits).size === 2)
  return limited && equalResources(requests, limits) ? "Guaranteed" : "Burstable"
}

function partsOf({ spec }: Pick<Pod, "spec">): readonly ResourceRequirements[] {
  if (spec?.resources !== undefined) return [spec.resources]
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map((container) => container.resources ?? {})
}

/** Only cpu and memory, and only where there is some of it. */
function counted(list: ResourceList | undefined): Resources {
  const some = Array.from(parseResources(list)).filter(([name, amount]) => (name === "cpu" || name === "memory") && amountSign(amount) > 0)
  return new Map(some)
}
