import type { Endpoints, Namespace, Service } from "@pilothouse/api/core/v1"
import { cidrContains, parseCidr } from "@pilothouse/api/net"
import { type HandlerEvent, type Plan, plan } from "@pilothouse/runtime"
import type { Subnet } from "../../clients/neutron/types.ts"
import { type Annotated, annotate, encodeSpec, type ServicePort, type ServiceSpec, specAnnotation, unlessGone } from "../annotations.ts"
import { unreadableAnnotation } from "../observe-errors.ts"

/** What the specification of a Service's load balancer is made from, and what its annotations hold already. */
export interface SpecObserved {
  /** Why the Service is skipped; undefined: it is served. */
  readonly skipReason?: string
  readonly endpoints?: Endpoints
  readonly namespace?: Namespace
  /** Of Services. */
  readonly subnets: readonly Subnet[]
  readonly project: string
  readonly groups: readonly string[]
  /** What the annotations say. */
  readonly onService: Annotated<ServiceSpec>
  readonly onEndpoints: Annotated<ServiceSpec>
}

/** Returns why a Service has no load balancer of its own; undefined: it has one. */
export function noBalancerReason({ spec }: Service): string | undefined {
  if (spec?.type === "ExternalName") return "a Service of type ExternalName is only a name"
  if (spec?.clusterIP === "None") return "a headless Service has no address to balance"
  return undefined
}

/** Pure: Service → specification, written on the Endpoints first and then on the Service. */
export function decideSpec(event: HandlerEvent<Service>, observed: SpecObserved): Plan {
  const { type, object: service } = event
  const { skipReason, endpoints, onService, onEndpoints } = observed
  if (skipReason !== undefined) return plan().nothing(skipReason)
  const without = noBalancerReason(service)
  if (without !== undefined) {
    const made = plan().nothing(without)
    return type === "added" ? made.event(service, "Normal", "KuryrServiceSkipped", without) : made
  }
  if (!service.spec?.clusterIP) return plan().nothing("the Service has no address yet").waitFor("an address of the Service")
  if (service.metadata.deletionTimestamp !== undefined) return plan().nothing("the Service is going")
  const broken = onService.error ?? onEndpoints.error
  if (broken !== undefined) return unreadableAnnotation(event, broken)
  const subnet = containingSubnet(service.spec.clusterIP, observed.subnets)
  if (subnet === undefined) return outside(service, observed.subnets)
  const desired = toSpec(service, subnet, observed)
  const text = encodeSpec(desired)
  const made = reportSecondFamily(event)
  if (endpoints !== undefined && !isSame(onEndpoints.value, desired))
    made.patch(endpoints, annotate(endpoints, { [specAnnotation]: text }), "the specification of its load balancer is missing or old", {
      type: "merge",
      ...unlessGone,
    })
  made.nextStep()
  if (!isSame(onService.value, desired))
    made.patch(service, annotate(service, { [specAnnotation]: text }), "the specification of its load balancer is missing or old", {
      type: "merge",
      ...unlessGone,
    })
  return made.steps.some(({ operations }) => operations.length > 0) ? made : made.nothing("the specification is written")
}

/** kuryr's specification has one address, and so has a load balancer: of a Service of two families the first is served. */
function reportSecondFamily({ type, object: service }: HandlerEvent<Service>): ReturnType<typeof plan> {
  const [first, second] = service.spec?.clusterIPs ?? []
  if (type !== "added" || second === undefined) return plan()
  const message = `the Service has a load balancer at ${first} and none at ${second}: only the first of its addresses is served`
  return plan().event(service, "Normal", "KuryrSecondAddressSkipped", message)
}

function toSpec(service: Service, subnet: Subnet, { project, groups }: SpecObserved): ServiceSpec {
  return { ip: service.spec!.clusterIP!, ports: servicePorts(service), project, subnet: subnet.id, groups }
}

export function servicePorts({ spec }: Service): readonly ServicePort[] {
  return (spec?.ports ?? []).map(({ name, protocol, port }) => ({ name: name || null, protocol: protocol ?? "TCP", port }))
}

function containingSubnet(address: string, subnets: readonly Subnet[]): Subnet | undefined {
  return subnets.find(({ cidr }) => {
    const range = parseCidr(cidr)
    return range !== undefined && cidrContains(range, address)
  })
}

function outside(service: Service, subnets: readonly Subnet[]): Plan {
  const ranges = subnets.map(({ cidr }) => cidr).join(", ")
  const message = `the address ${service.spec?.clusterIP} is outside the subnet of Services, ${ranges}; compare [neutron_defaults] service_subnet with --service-cluster-ip-range`
  return plan().event(service, "Warning", "KuryrAddressOutsideSubnet", message).nothing(message, { stuck: true })
}

/** Ports in any order. */
function isSame(one: ServiceSpec | undefined, other: ServiceSpec): boolean {
  return one !== undefined && specText(one) === specText(other)
}

function specText({ ip, ports, project, subnet, groups }: ServiceSpec): string {
  const names = ports.map(({ name, protocol, port }) => `${name ?? ""} ${protocol} ${port}`).sort()
  return JSON.stringify([ip, project, subnet, [...groups].sort(), names])
}
