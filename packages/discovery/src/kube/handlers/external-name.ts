import type { Endpoint } from "../../model/endpoint.ts"
import type { Service } from "../../model/service.ts"
import { endpointOf } from "../convert/endpoint.ts"
import { nowhere } from "../convert/locality.ts"
import type { RegistryState } from "../state/state.ts"
import { announce } from "./announce.ts"

/** The name that the endpoints of an ExternalName stand under among the slices of a service: no object can have it. */
export const externalNameSource = (hostname: string) => `ExternalName ${hostname}`

/** One endpoint per port, whose address is a name; none where the name is an alias, or where the service is none of that kind any more. */
export function externalNameEndpoints(state: RegistryState, service: Service): readonly Endpoint[] {
  const { externalName: address, aliasOf, ports, labels, namespace } = service
  if (address === undefined || aliasOf !== undefined) return []
  const around = { namespace, network: "", pod: undefined, locality: nowhere, nodeName: undefined, health: "healthy" } as const
  return ports.map(({ name, port }) => ({
    ...endpointOf({ ...around, addresses: [address], port, portName: name }, state.conversion),
    labels,
  }))
}

/** Indexes the endpoints of an ExternalName service. */
export function putExternalName(state: RegistryState, service: Service): void {
  const { hostname } = service
  const change = state.endpoints.put(hostname, externalNameSource(hostname), externalNameEndpoints(state, service))
  if (change !== undefined) announce(state, service, change)
}
