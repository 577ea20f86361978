import type { Container, ContainerStatus, Pod } from "../generated/core/v1.types.ts"
import { findCondition } from "../meta/conditions.ts"
import { addAmounts, isZeroAmount } from "../quantity/amount.ts"
import { addResources, maxResources, parseResources, type Resources } from "../quantity/resource-list.ts"

type Kind = "requests" | "limits"
type PodParts = Pick<Pod, "spec" | "status">

/** Options of `podRequests` and `podLimits`. */
export interface PodResourcesOptions {
  /** Count what a resize in place has not released yet, as the scheduler and quotas do; by default only the spec counts. */
  readonly withStatus?: boolean
}

/**
 * Returns the resources that the scheduler and quotas count for a pod:
 * containers and sidecars run together and are added; plain init containers run one after the other, each beside the sidecars before it,
 * so only the greatest of them counts, and only where it is more. Amounts set for the pod as a whole (cpu, memory, hugepages) take their place.
 * The overhead of the runtime comes on top.
 */
export function podRequests(pod: PodParts, options: PodResourcesOptions = {}): Resources {
  const requests = withPodLevel(pod, "requests", containerResources(pod, "requests", options))
  return addResources(requests, parseResources(pod.spec?.overhead))
}

/** The same for limits; overhead is added only where there is a limit. */
export function podLimits(pod: PodParts, options: PodResourcesOptions = {}): Resources {
  const limits = new Map(withPodLevel(pod, "limits", containerResources(pod, "limits", options)))
  for (const [name, overhead] of parseResources(pod.spec?.overhead)) {
    const limit = limits.get(name)
    if (limit !== undefined && !isZeroAmount(limit)) limits.set(name, addAmounts(limit, overhead))
  }
  return limits
}

function containerResources(pod: PodParts, kind: Kind, options: PodResourcesOptions): Resources {
  const of = options.withStatus === true ? effective(pod, kind) : specified(kind)
  let running = (pod.spec?.containers ?? []).reduce((sum, container) => addResources(sum, of(container)), parseResources({}))
  let sidecars = parseResources({})
  let starting = sidecars
  for (const container of pod.spec?.initContainers ?? []) {
    if (isSidecar(container)) {
      const own = of(container)
      running = addResources(running, own)
      sidecars = addResources(sidecars, own)
      starting = maxResources(starting, sidecars)
    } else {
      starting = maxResources(starting, addResources(specified(kind)(container), sidecars))
    }
  }
  return maxResources(running, starting)
}

function specified(kind: Kind): (container: Container) => Resources {
  return (container) => parseResources(container.resources?.[kind])
}

/** The maximum of what is requested, what the node set aside and what the container runs with; an infeasible request does not count. */
function effective(pod: PodParts, kind: Kind): (container: Container) => Resources {
  const infeasible = findCondition(pod.status?.conditions, "PodResizePending")?.reason === "Infeasible"
  return (container) => {
    const asked = specified(kind)(container)
    const status = statusOf(pod, container.name)
    if (status?.resources === undefined) return asked
    const used = parseResources(status.resources[kind])
    const held = kind === "requests" ? maxResources(used, parseResources(status.allocatedResources)) : used
    return infeasible ? held : maxResources(asked, held)
  }
}

function statusOf({ status }: PodParts, name: string): ContainerStatus | undefined {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find((container) => container.name === name)
}

/** An init container that is kept running beside the others. */
export function isSidecar(container: Pick<Container, "restartPolicy">): boolean {
  return container.restartPolicy === "Always"
}

function withPodLevel(pod: PodParts, kind: Kind, resources: Resources): Resources {
  const list = pod.spec?.resources?.[kind]
  if (list === undefined) return resources
  const result = new Map(resources)
  for (const [name, amount] of parseResources(list)) if (isPodLevel(name)) result.set(name, amount)
  return result
}

function isPodLevel(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-")
}
