import { exportedPorts } from "../generators/names.ts"
import type { Endpoint } from "../model/endpoint.ts"
import type { Service } from "../model/service.ts"
import { wantsUnhealthy } from "../model/unhealthy.ts"

/**
 * Counts the clusters without an endpoint: ports of a service that clients know of, and that lead nowhere. They are the
 * first sign of a selector without pods, which is why the count is a metric.
 *
 * Invariant: the count is the sum over the hosts that were refreshed.
 */
export class EmptyClusters {
  readonly #byHost = new Map<string, number>()
  readonly #onChange: (count: number) => void
  #count = 0

  constructor(onChange: (count: number) => void) {
    this.#onChange = onChange
  }

  /**
   * Counts a service again; undefined: it is deleted. Notifies only where the count changes.
   */
  refresh(hostname: string, service: Service | undefined, endpoints: readonly Endpoint[]): void {
    const before = this.#byHost.get(hostname) ?? 0
    const after = service === undefined ? 0 : emptyPorts(service, endpoints)
    if (before === after) return
    if (after === 0) this.#byHost.delete(hostname)
    else this.#byHost.set(hostname, after)
    this.#count += after - before
    this.#onChange(this.#count)
  }
}

/** DNS names are resolved by the client: their endpoints are not known here. */
function emptyPorts(service: Service, endpoints: readonly Endpoint[]): number {
  if (service.resolution === "dns") return 0
  const unhealthyToo = wantsUnhealthy(service)
  const isBehind = (name: string) => endpoints.some((one) => one.portName === name && (unhealthyToo || one.health !== "unhealthy"))
  return exportedPorts(service).filter(({ name }) => !isBehind(name)).length
}
