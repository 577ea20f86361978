import { type CloudControllers, cloudControllers, createCloudControllers, MemoryCloud, memoryProvider } from "@pilothouse/cloud"
import { type Clock, type Log, PilothouseError } from "@pilothouse/seams"
import type { OwnSettings } from "./flags.ts"

/** The clouds that `run` can be started with. "external": another program looks after the cloud, as upstream means it. */
const providers = ["", "external", "memory"]

/**
 * The loops of the cloud that was chosen. `memory` has load balancers only: it knows of no machine, and loops that ask it for those of the
 * nodes would take every node for one that is gone.
 */
export function cloudLoops(own: OwnSettings, seams: { readonly clock: Clock; readonly log: Log }): CloudControllers {
  const chosen = own["cloud-provider"]
  if (!providers.includes(chosen))
    throw new PilothouseError("USAGE", `--cloud-provider: expected memory, external or nothing, found "${chosen}"`)
  if (chosen !== "memory" || !isSelected(own.controllers)) return { controllers: [], checks: [] }
  const cloud = new MemoryCloud(seams)
  const provider = (clusterName: string) => memoryProvider({ cloud, clusterName })
  const { "cluster-name": name, "concurrent-service-syncs": syncs } = own
  const settings = { "cluster-name": name, "concurrent-service-syncs": syncs }
  return createCloudControllers({ ...seams, provider, settings, select: ["service"] })
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
