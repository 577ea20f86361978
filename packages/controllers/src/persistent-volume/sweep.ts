import { persistentVolumes } from "@pilothouse/api/core/v1"
import { type Plan, plan, type Reader } from "@pilothouse/runtime"
import { provisionedPrefix } from "./annotations.ts"
import { claimsByUid } from "./indexes.ts"
import type { DiscardVolume } from "./operations.ts"
import type { Plugins } from "./plugins.ts"

export interface ObservedLeftovers {
  readonly plugin: string
  /** What it made for claims that are gone, and that never became a volume. */
  readonly leftovers: readonly string[]
}

export async function observeLeftovers(key: string, read: Reader, plugins: Plugins): Promise<ObservedLeftovers | undefined> {
  const unused = (await plugins.find(({ name }) => name === key)?.provisioner?.unused()) ?? []
  const suspects = unused.filter((name) => read.byIndex(claimsByUid, name.slice(provisionedPrefix.length)).length === 0)
  const leftovers: string[] = []
  // The cache may lack a volume that was made a moment ago.
  for (const name of suspects) if (!read.get(persistentVolumes, name) && !(await read.live(persistentVolumes, name))) leftovers.push(name)
  return { plugin: key, leftovers }
}

export function decideLeftovers({ plugin, leftovers }: ObservedLeftovers): Plan {
  if (leftovers.length === 0) return plan().nothing("nothing is left behind")
  const built = plan()
  for (const name of leftovers) {
    const operation: DiscardVolume = {
      do: "discard-volume",
      to: name,
      plugin,
      reason: "it was made for a claim that is gone, and nobody ever used it",
    }
    built.operation(operation)
  }
  return built
}
