import { type Endpoint, hasLost } from "../../model/endpoint.ts"
import { isHidden, type Service } from "../../model/service.ts"
import { wantsUnhealthy } from "../../model/unhealthy.ts"
import { isHttp } from "../convert/protocol.ts"
import type { EndpointChange } from "../index/endpoint-index.ts"
import type { RegistryState } from "../state/state.ts"

/** Announces a change of a service's endpoints, if clients can notice it. */
export function announce(state: RegistryState, service: Service, change: EndpointChange): void {
  const { hostname } = service
  state.changed.set(hostname, state.options.clock.now())
  const otherAccounts = state.identities.change(hostname, change)
  if (isHidden(service) || !isNoticed(service, change)) return
  const removed = hasLost(change.gone, change.came)
  state.subscribers.endpointsUpdate(state.conversion.cluster, hostname, { removed, endpoints: () => state.endpoints.get(hostname) })
  if (otherAccounts || listensPerPod(service)) state.subscribers.serviceUpdate(hostname, "updated")
}

/** Headless with a port that is not HTTP: proxies listen for each pod, so the endpoints are part of the service itself. */
function listensPerPod({ resolution, ports }: Service): boolean {
  return resolution === "passthrough" && ports.some(({ protocol }) => !isHttp(protocol))
}

/** Unhealthy endpoints are no change, unless clients receive them. */
function isNoticed(service: Service, { gone, came }: EndpointChange): boolean {
  return wantsUnhealthy(service) || gone.some(isUsed) || came.some(isUsed)
}

function isUsed({ health }: Endpoint): boolean {
  return health !== "unhealthy"
}
