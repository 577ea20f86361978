import type { Lease } from "@pilothouse/api/coordination/v1"
import type { Service } from "@pilothouse/api/core/v1"
import { specAnnotation } from "@pilothouse/openstack"
import { type Finding, note, ok, problem } from "../../doctor/check.ts"

export interface OwnersFound {
  readonly services: readonly Service[]
  /** Of kube-system. */
  readonly leases: readonly Lease[]
  /** Names of the load balancers in the project. */
  readonly balancers: readonly string[]
}

const what = "owners of load balancers"
/** What cloud-provider-openstack writes on a Service that it has a load balancer for. */
const idAnnotation = "loadbalancer.openstack.org/load-balancer-id"
const advice =
  "a Service of type LoadBalancer has one owner: run the handlers (--openstack), or a cloud controller with Octavia ([LoadBalancer] enabled = true, --cloud-provider openstack), not both; then delete the second tree, `openstack loadbalancer delete --cascade`"

/** Pure: whether two programs make load balancers for the same Services. */
export function checkOwners({ services, leases, balancers }: OwnersFound): Finding {
  const ours = services.filter(
    ({ spec, metadata }) => spec?.type === "LoadBalancer" && metadata.annotations?.[specAnnotation] !== undefined,
  )
  const twice = ours.filter((service) => service.metadata.annotations?.[idAnnotation] !== undefined || hasTree(service, balancers))
  if (twice.length > 0) {
    const names = twice.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(", ")
    return problem(what, `both the handlers and a cloud controller have made a load balancer for ${names}`, advice)
  }
  const other = leases.find(({ metadata, spec }) => metadata.name === "cloud-controller-manager" && spec?.holderIdentity)
  if (other !== undefined && isHeld(leases, "kuryr-controller"))
    return problem(what, `the handlers and a cloud controller (${other.spec?.holderIdentity}) both hold a Lease`, advice)
  if (other !== undefined)
    return note(
      what,
      `a cloud controller (${other.spec?.holderIdentity}) holds a Lease`,
      "switch its load balancers off before the handlers run",
    )
  return ok(what, ours.length === 0 ? "one at most" : `the handlers, for ${ours.length} Service${ours.length === 1 ? "" : "s"}`)
}

function hasTree({ metadata }: Service, balancers: readonly string[]): boolean {
  const end = `_${metadata.namespace}_${metadata.name}`
  return balancers.some((name) => name.startsWith("kube_service_") && (name.endsWith(end) || name.includes(`${end}_`)))
}

function isHeld(leases: readonly Lease[], name: string): boolean {
  return leases.some(({ metadata, spec }) => metadata.name === name && spec?.holderIdentity !== undefined && spec.holderIdentity !== "")
}
