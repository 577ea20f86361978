import type { Log } from "@pilothouse/seams"
import { isRefusal } from "../../clients/calls/errors.ts"
import type { PoolSizes } from "../../configuration/configuration.ts"
import type { PodPort, PodVifDriver } from "../vif/pod-vif.ts"
import { PortMaintenance, type Returned } from "./port-maintenance.ts"
import type { PortRemovals } from "./port-removals.ts"
import { poolKey, portPoolKey, requestLike, type SparePorts } from "./spare-ports.ts"

export interface PoolMaintenanceOptions {
  readonly driver: PodVifDriver
  readonly log: Log
  readonly spare: SparePorts
  readonly removals: PortRemovals
  /** Undefined: no spare ports, so nothing is kept. */
  readonly sizes?: PoolSizes
  /** Whether the node is removed: no pod can use its ports any more. */
  isGone(host: string): boolean
  /** The port of a pod has its name now. */
  named(uid: string, before: PodPort, now: PodPort): void
}

/** The chores of a pool: ports get the names of their pods; what comes back is spare again, or goes where there are enough. */
export function poolMaintenance({ driver, log, spare, removals, sizes, isGone, named }: PoolMaintenanceOptions): PortMaintenance {
  const returnedKey = ({ port, request }: Returned) =>
    request === undefined ? portPoolKey(port) : poolKey(request, driver.hostFor(request))
  return new PortMaintenance({
    log,
    name: async (uid, { port, request }, signal) => named(uid, port, await driver.assign(port, request, signal)),
    // One that is on no host is of no use to any pod.
    keeps: (returned) => {
      const { host } = returned.port
      return sizes !== undefined && host !== undefined && !isGone(host) && !spare.isFull(returnedKey(returned))
    },
    recycle: async (returned, signal) => {
      const { port, request = requestLike(port) } = returned
      const recycled = await driver.recycle(port, request, signal).catch((error: unknown) => {
        // The port is deleted already: there is nothing to recycle.
        if (!isRefusal(error, "not-found")) throw error
      })
      if (recycled !== undefined) spare.add(returnedKey(returned), recycled)
    },
    remove: (port, signal) => removals.remove(port, signal),
  })
}
