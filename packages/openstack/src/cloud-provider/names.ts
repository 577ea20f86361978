import type { Service } from "@pilothouse/api/core/v1"

const longestName = 255

/** What cloud-provider-openstack calls the balancer of a Service. */
export function plainName(cluster: string, { metadata }: Service): string {
  return `kube_service_${cluster}_${metadata.namespace}_${metadata.name}`.slice(0, longestName)
}

/** The same with the UID behind it: a Service that is made anew under its name has a balancer of its own, never the old one's. */
export function balancerName(cluster: string, service: Service): string {
  const uid = service.metadata.uid ?? ""
  return `${plainName(cluster, service).slice(0, longestName - uid.length - 1)}_${uid}`
}

export function partName(part: "listener" | "pool" | "monitor", index: number, balancer: string): string {
  return `${part}_${index}_${balancer}`.slice(0, longestName)
}

export function balancerDescription(cluster: string, { metadata }: Service): string {
  return `Kubernetes external service ${metadata.namespace}/${metadata.name} from cluster ${cluster}`
}

/** Also the proof that a floating IP is ours, when it is to be deleted. */
export function addressDescription(cluster: string, { metadata }: Service): string {
  return `Floating IP for Kubernetes external service ${metadata.namespace}/${metadata.name} from cluster ${cluster}`
}
