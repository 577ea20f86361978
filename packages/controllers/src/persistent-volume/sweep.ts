import { persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { storageClasses } from "@pilothouse/api/storage/v1"
import { type Controller, controller, type Plan, plan, type Reader, watch } from "@pilothouse/runtime"
import type { Plugins } from "./choose-plugin.ts"
import { claimsByUid } from "./indexes.ts"
import { type DiscardVolume, volumeExecutors } from "./operations.ts"
import { provisionedPrefix } from "./plugins/volume-plugin.ts"
import type { ProvisionOptions } from "./provision.ts"

/** Discards storage that was provisioned for a claim that was deleted before it was bound. Keys are names of plugins. */
export function sweeper({ plugins, syncPeriod }: ProvisionOptions): Controller {
  const sweepable = plugins.flatMap(({ name, provisioner: made }) => (made === undefined ? [] : [name]))
  return controller("persistentvolume-sweeper-controller", {
    for: persistentVolumes,
    predicate: () => false,
    watches: [
      watch(storageClasses, "a class of it is there", ({ provisioner: name }) => sweepable.filter((one) => one === name), {
        predicate: (_change, initial) => initial,
        delay: syncPeriod,
      }),
      watch(persistentVolumeClaims, "a claim went without a volume", () => sweepable, {
        predicate: ({ type, object }) => type === "deleted" && !object.spec?.volumeName,
        delay: syncPeriod,
      }),
    ],
    indexes: [claimsByUid],
    maxConcurrentReconciles: 1,
    eventSource: "persistentvolume-controller",
    executors: volumeExecutors(plugins, syncPeriod),
    observe: (key, read) => observeLeftovers(key, read, plugins),
    decide: decideLeftovers,
  })
}

interface ObservedLeftovers {
  readonly plugin: string
  /** Storage for deleted claims that never became a PersistentVolume. */
  readonly leftovers: readonly string[]
}

async function observeLeftovers(key: string, read: Reader, plugins: Plugins): Promise<ObservedLeftovers | undefined> {
  const unused = (await plugins.find(({ name }) => name === key)?.provisioner?.unused()) ?? []
  const suspects = unused.filter((name) => read.byIndex(claimsByUid, name.slice(provisionedPrefix.length)).length === 0)
  const leftovers: string[] = []
  // The cache may lack a volume that was just created.
  for (const name of suspects) if (!read.get(persistentVolumes, name) && !(await read.live(persistentVolumes, name))) leftovers.push(name)
  return { plugin: key, leftovers }
}

function decideLeftovers({ plugin, leftovers }: ObservedLeftovers): Plan {
  if (leftovers.length === 0) return plan().nothing("nothing is left behind")
  const built = plan()
  for (const name of leftovers) {
    const operation: DiscardVolume = {
      do: "discard-volume",
      to: name,
      plugin,
      reason: "it was provisioned for a claim that is gone, and was never used",
    }
    built.operation(operation)
  }
  return built
}
