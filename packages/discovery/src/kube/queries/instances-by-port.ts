import type { Endpoint } from "../../model/endpoint.ts"
import type { ServiceInstance } from "../../model/instance.ts"
import type { Service, ServicePort } from "../../model/service.ts"
import { isSubset } from "../index/service-index.ts"

/** Alternatives: an instance matches where it has all labels of one set. */
export type LabelSets = readonly Readonly<Record<string, string>>[]

/**
 * The healthy endpoints of a service behind one of its ports; 0 is all ports. Of several label sets one has to fit; none at all fits every endpoint.
 * An endpoint port without a name stands behind every port, as in Endpoints of services with a single port.
 */
export function instancesByPort(
  service: Service | undefined,
  endpoints: readonly Endpoint[],
  wanted: { readonly port: number; readonly labels?: LabelSets },
): readonly ServiceInstance[] {
  if (service === undefined) return []
  const asked = service.ports.find(({ port }) => port === wanted.port)
  if (asked === undefined && wanted.port !== 0) return []
  return endpoints
    .filter((endpoint) => endpoint.health === "healthy" && fits(endpoint, wanted.labels))
    .flatMap((endpoint) => portsOf(service, endpoint, asked).map((servicePort) => ({ service, servicePort, endpoint })))
}

function portsOf(service: Service, { portName }: Endpoint, asked: ServicePort | undefined): readonly ServicePort[] {
  if (asked !== undefined) return portName === "" || portName === asked.name ? [asked] : []
  return service.ports.filter(({ name }) => portName === "" || portName === name).slice(0, 1)
}

function fits({ labels }: Endpoint, sets: LabelSets = []): boolean {
  return sets.length === 0 || sets.some((set) => isSubset(set, labels))
}
