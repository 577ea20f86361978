import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { PilothouseError } from "@pilothouse/seams"
import type { VolumePlugin } from "../plugins/volume-plugin.ts"
import { provisionedPrefix } from "../plugins/volume-plugin.ts"

export interface MemoryPlugin extends VolumePlugin {
  /** What each volume holds. */
  readonly store: Map<string, string[]>
  /** What was asked of it: "provision pvc-1". */
  readonly calls: string[]
  /** Throws this at every call while it is set. */
  failure?: Error
}

/** Volumes in memory, of the kind nfs: the second implementation of the interface, and one that can be made to fail. */
export function memoryPlugin(name = "kubernetes.io/memory"): MemoryPlugin {
  const store = new Map<string, string[]>()
  const calls: string[] = []
  const plugin: MemoryPlugin = {
    name,
    store,
    calls,
    supports: ({ spec }) => spec?.nfs?.server === name,
    provisioner: {
      describe: ({ name: volume, claim: { spec } }) => ({
        spec: {
          accessModes: spec?.accessModes,
          capacity: { storage: spec?.resources?.requests?.storage ?? "0" },
          nfs: { server: name, path: `/${volume}` },
        },
      }),
      async provision(volume) {
        note("provision", volume)
        if (!store.has(nameOf(volume))) store.set(nameOf(volume), [])
      },
      unused: async () => [...store].filter(([key, held]) => key.startsWith(provisionedPrefix) && held.length === 0).map(([key]) => key),
      async discard(key) {
        if (store.get(key)?.length === 0) store.delete(key)
      },
    },
    async recycle(volume) {
      note("recycle", volume)
      store.set(nameOf(volume), [])
    },
    async delete(volume) {
      note("delete", volume)
      store.delete(nameOf(volume))
    },
  }
  return plugin

  function note(verb: string, volume: PersistentVolume): void {
    calls.push(`${verb} ${nameOf(volume)}`)
    if (plugin.failure !== undefined) throw plugin.failure
  }
}

export function broken(message: string): PilothouseError {
  return new PilothouseError("INVALID", message)
}

function nameOf({ spec }: PersistentVolume): string {
  return spec?.nfs?.path.slice(1) ?? ""
}
