import {
  type CloudControllers,
  type CloudProvider,
  createCloudControllers,
  isServiceControllerSelected,
  MemoryCloud,
  memoryProvider,
} from "@pilothouse/cloud"
import { type Clock, type Log, type Metrics, PilothouseError } from "@pilothouse/seams"
import type { OwnSettings } from "../flags/flags.ts"

/** Makes the provider openstack, which needs a cloud that is somewhere. */
export type OctaviaProvider = (clusterName: string) => CloudProvider

/**
 * The controllers of the cloud that was chosen. Both have load balancers only: they know of no machine, and controllers that ask them for those of the
 * nodes would take every node for one that is gone. With --openstack there are none: a load balancer has one owner, and the handlers are it.
 */
export function cloudControllers(
  own: OwnSettings,
  seams: { readonly clock: Clock; readonly log: Log; readonly metrics?: Metrics },
  octavia: OctaviaProvider = noCloud,
): CloudControllers {
  const chosen = own["cloud-provider"]
  const none = { controllers: [], checks: [] }
  if (chosen === "" || chosen === "external") return none
  if (own.openstack) {
    seams.log.warn("--openstack makes the load balancers: the controller of --cloud-provider stays off", { "cloud-provider": chosen })
    return none
  }
  if (!isServiceControllerSelected(own.controllers)) return none
  const memory = new MemoryCloud(seams)
  const provider = chosen === "openstack" ? octavia : (clusterName: string) => memoryProvider({ cloud: memory, clusterName })
  const { "cluster-name": name, "concurrent-service-syncs": syncs } = own
  const settings = { "cluster-name": name, "concurrent-service-syncs": syncs }
  return createCloudControllers({ ...seams, provider, settings, select: ["service"] })
}

function noCloud(): never {
  throw new PilothouseError("USAGE", "--cloud-provider openstack: expected credentials of a cloud, found none")
}
