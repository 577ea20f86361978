import {
  type Amount,
  amountOf,
  isPodTerminal,
  type KubeObject,
  parseQuantity,
  podLimits,
  podRequests,
  type Resources,
  resourceNameOf,
} from "@pilothouse/api"
import type { PersistentVolumeClaim, Pod, Service } from "@pilothouse/api/core/v1"
import type { Resource } from "../../resources/resource.ts"

/** Counted under their plain name too, from the time before "count/". */
const plainNames: ReadonlySet<string> = new Set([
  "configmaps",
  "persistentvolumeclaims",
  "pods",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
])

/** What an object takes of its namespace's quotas. */
export function usageOf({ descriptor }: Pick<Resource, "descriptor">, object: KubeObject): Resources {
  const { group, plural } = descriptor
  const one = amountOf(1)
  const counted = new Map<string, Amount>([[`count/${resourceNameOf(descriptor)}`, one]])
  if (group !== "" || !plainNames.has(plural)) return counted
  if (plural === "pods") return podUsage(object as Pod, counted)
  counted.set(plural, one)
  if (plural === "services") return serviceUsage(object as Service, counted)
  return plural === "persistentvolumeclaims" ? claimUsage(object as PersistentVolumeClaim, counted) : counted
}

/** A pod that is over counts as an object and uses nothing. */
function podUsage(pod: Pod, counted: Map<string, Amount>): Resources {
  if (isPodTerminal(pod)) return counted
  counted.set("pods", amountOf(1))
  for (const [name, amount] of podRequests(pod, { withStatus: true })) {
    counted.set(`requests.${name}`, amount)
    if (isPlain(name)) counted.set(name, amount)
  }
  for (const [name, amount] of podLimits(pod, { withStatus: true })) if (isCompute(name)) counted.set(`limits.${name}`, amount)
  return counted
}

function isCompute(name: string): boolean {
  return name === "cpu" || name === "memory" || name === "ephemeral-storage"
}

function isPlain(name: string): boolean {
  return isCompute(name) || name.startsWith("hugepages-")
}

function serviceUsage({ spec }: Service, counted: Map<string, Amount>): Resources {
  const ports = spec?.ports ?? []
  const balanced = spec?.type === "LoadBalancer"
  const assigned = ports.filter(({ nodePort = 0 }) => nodePort !== 0).length
  // A balancer that does without node ports uses those that it asked for.
  const nodePorts = balanced && spec?.allocateLoadBalancerNodePorts === false ? assigned : ports.length
  counted.set("services.nodeports", amountOf(balanced || spec?.type === "NodePort" ? nodePorts : 0))
  counted.set("services.loadbalancers", amountOf(balanced ? 1 : 0))
  return counted
}

function claimUsage({ metadata, spec }: PersistentVolumeClaim, counted: Map<string, Amount>): Resources {
  const storage = parseQuantity(spec?.resources?.requests?.storage ?? "0")
  const storageClass = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? ""
  counted.set("requests.storage", storage)
  if (storageClass === "") return counted
  const suffix = `${storageClass}.storageclass.storage.k8s.io`
  return counted.set(`${suffix}/requests.storage`, storage).set(`${suffix}/persistentvolumeclaims`, amountOf(1))
}
