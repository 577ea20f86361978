import {
  type CloudControllers,
  type CloudProvider,
  createCloudControllers,
  MemoryCloud,
  memoryProvider,
  selectCloudControllers,
} from "@pilothouse/cloud"
import { type Clock, type Log, type Metrics, PilothouseError } from "@pilothouse/seams"
import type { RunSettings } from "../flags/run-options.ts"

/** Returns the provider of a cloud that is somewhere: openstack, or a plug-in. Throws where it could not be made. */
export type OpenProvider = (clusterName: string) => CloudProvider

/** The controllers of the cloud that was chosen. With --openstack there are none: a load balancer has one owner, and the handlers are it. */
export function cloudControllers(
  { own, controllerSettings }: Pick<RunSettings, "own" | "controllerSettings">,
  seams: { readonly clock: Clock; readonly log: Log; readonly metrics?: Metrics },
  opened: OpenProvider = noCloud,
): CloudControllers {
  const chosen = own["cloud-provider"]
  const none = { controllers: [], checks: [] }
  if (chosen === "" || chosen === "external") return none
  if (own.openstack) {
    seams.log.warn("--openstack makes the load balancers: the controller of --cloud-provider stays off", { "cloud-provider": chosen })
    return none
  }
  if (selectCloudControllers(own.controllers).length === 0) return none
  const memory = new MemoryCloud(seams)
  const remembered = (clusterName: string) => memoryProvider({ cloud: memory, clusterName, instanceOfEveryNode: true })
  const { "cluster-name": name, "concurrent-service-syncs": syncs } = own
  const settings = { ...controllerSettings, "cluster-name": name, "concurrent-service-syncs": syncs }
  return createCloudControllers({ ...seams, provider: chosen === "memory" ? remembered : opened, settings, select: own.controllers })
}

function noCloud(): never {
  throw new PilothouseError("USAGE", "--cloud-provider: expected a cloud that was opened, found none")
}
