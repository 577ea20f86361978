import type { Service } from "@pilothouse/api/core/v1"
import type { Features } from "./features.ts"
import type { ServiceOptions } from "./service-options.ts"

const maxNameLength = 255

/** Returns cloud-provider-openstack's name of the balancer of a Service. */
export function plainName(cluster: string, { metadata }: Service): string {
  return `kube_service_${cluster}_${metadata.namespace}_${metadata.name}`.slice(0, maxNameLength)
}

/** The same with the UID appended: a Service that is created again under its name has a balancer of its own, never the old one's. */
export function balancerName(cluster: string, service: Service): string {
  const uid = service.metadata.uid ?? ""
  return `${plainName(cluster, service).slice(0, maxNameLength - uid.length - 1)}_${uid}`
}

/**
 * The name that the cluster had when the balancer was made for this Service, if it was another. Only a name with the UID is a proof: another cluster
 * may have a Service of the same name.
 */
export function formerCluster(
  cluster: string,
  { name, tags }: { readonly name: string; readonly tags: readonly string[] },
  { metadata }: Service,
): string | undefined {
  const [start, end] = ["kube_service_", `_${metadata.namespace}_${metadata.name}_${metadata.uid}`]
  const its = [name, ...tags].find((one) => one.startsWith(start) && one.endsWith(end) && one.length > start.length + end.length)
  const former = its?.slice(start.length, -end.length)
  return former === cluster ? undefined : former
}

/** A name of one cluster as it is in another. */
export function underCluster(text: string, former: string, cluster: string): string {
  return text.replace(`kube_service_${former}_`, `kube_service_${cluster}_`).slice(0, maxNameLength)
}

export function partName(part: "listener" | "pool" | "monitor", index: number, balancer: string): string {
  return `${part}_${index}_${balancer}`.slice(0, maxNameLength)
}

export function balancerDescription(cluster: string, { metadata }: Service): string {
  return `Kubernetes external service ${metadata.namespace}/${metadata.name} from cluster ${cluster}`
}

/** Returns the description of a new balancer. */
export function aboutBalancer(
  cluster: string,
  service: Service,
  { provider, flavorId, availabilityZone }: ServiceOptions,
  { tags, flavors, availabilityZones }: Features,
) {
  const name = balancerName(cluster, service)
  return {
    name,
    description: balancerDescription(cluster, service),
    ...(tags && { tags: [name] }),
    ...(provider === undefined ? {} : { provider }),
    ...(flavorId === undefined || !flavors ? {} : { flavor_id: flavorId }),
    ...(availabilityZone === undefined || !availabilityZones ? {} : { availability_zone: availabilityZone }),
  }
}

const addressPrefix = "Floating IP for Kubernetes external service "

export function addressDescription(cluster: string, { metadata }: Service): string {
  return `${addressPrefix}${metadata.namespace}/${metadata.name} from cluster ${cluster}`
}

/** The proof that a floating IP was created for a Service of this cluster: of the Services that share a balancer the last one deletes it. */
export function isAddressOwnedBy(cluster: string, description: string): boolean {
  return description.startsWith(addressPrefix) && description.endsWith(` from cluster ${cluster}`)
}
