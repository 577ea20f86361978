import { type Endpoint, endpointSlices } from "@pilothouse/api/discovery/v1"
import { index } from "@pilothouse/runtime"

/** EndpointSlices by the pods ("namespace/name") that they offer to new connections. */
export const podsOffered = index(endpointSlices, "pods-offered", ({ metadata, endpoints }) =>
  (endpoints ?? [])
    .filter(isOffered)
    .flatMap(({ targetRef }) => (targetRef?.kind === "Pod" ? [`${metadata.namespace}/${targetRef.name}`] : [])),
)

function isOffered({ conditions }: Endpoint): boolean {
  return conditions?.ready !== false && conditions?.terminating !== true
}
