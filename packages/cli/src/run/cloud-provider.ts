import {
  type CloudControllers,
  type CloudProvider,
  cloudControllers,
  createCloudControllers,
  MemoryCloud,
  memoryProvider,
} from "@pilothouse/cloud"
import { type Clock, type Log, type Metrics, PilothouseError } from "@pilothouse/seams"
import type { OwnSettings } from "./flags.ts"

/** The clouds that `run` can be started with. "external": another program looks after the cloud, as upstream means it. */
const providers = ["", "external", "memory", "openstack"]

/** Makes the provider openstack, which needs a cloud that is somewhere. */
export type OctaviaProvider = (clusterName: string) => CloudProvider

/**
 * The loops of the cloud that was chosen. Both have load balancers only: they know of no machine, and loops that ask them for those of the
 * nodes would take every node for one that is gone. With --openstack there are none: a load balancer has one owner, and the handlers are it.
 */
export function cloudLoops(
  own: OwnSettings,
  seams: { readonly clock: Clock; readonly log: Log; readonly metrics?: Metrics },
  octavia: OctaviaProvider = noCloud,
): CloudControllers {
  const chosen = own["cloud-provider"]
  if (!providers.includes(chosen))
    throw new PilothouseError("USAGE", `--cloud-provider: expected openstack, memory, external or nothing, found "${chosen}"`)
  const none = { controllers: [], checks: [] }
  if (chosen === "" || chosen === "external") return none
  if (own.openstack) {
    seams.log.warn("--openstack makes the load balancers: the loop of --cloud-provider stays off", { "cloud-provider": chosen })
    return none
  }
  if (!isSelected(own.controllers)) return none
  const memory = new MemoryCloud(seams)
  const provider = chosen === "openstack" ? octavia : (clusterName: string) => memoryProvider({ cloud: memory, clusterName })
  const { "cluster-name": name, "concurrent-service-syncs": syncs } = own
  const settings = { "cluster-name": name, "concurrent-service-syncs": syncs }
  return createCloudControllers({ ...seams, provider, settings, select: ["service"] })
}

function noCloud(): never {
  throw new PilothouseError("USAGE", "--cloud-provider openstack: expected credentials of a cloud, found none")
}

const names = ["service-lb-controller", "service"]

function isSelected(select: readonly string[]): boolean {
  return (
    !select.some((word) => names.includes(word.slice(1)) && word.startsWith("-")) && select.some((word) => ["*", ...names].includes(word))
  )
}

/** Whether a word of --controllers is about a loop of the cloud: those are not in the table of the others. */
export function isCloudLoop(word: string): boolean {
  const name = word.replace(/^-/, "")
  return cloudControllers.some((entry) => entry.name === name || entry.aliases.includes(name))
}
