import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { type Files, PilothouseError } from "@pilothouse/seams"
import { type DirectoryRoot, directoryRoot } from "./directory-root.ts"
import type { DescribedVolume, ProvisionRequest, VolumePlugin } from "./volume-plugin.ts"
import { provisionedPrefix } from "./volume-plugin.ts"

export interface HostPathPluginOptions {
  readonly files: Files
  /** The directory that contains all volumes; nothing outside it is touched. */
  readonly root: string
  /** --enable-hostpath-provisioner. Existing volumes are still recycled and deleted. */
  readonly provisioning: boolean
}

const name = "kubernetes.io/host-path"
const directoryMode = 0o750

/** Provisions volumes as directories of this machine, for clusters of one machine. */
export function hostPathPlugin({ files, root, provisioning }: HostPathPluginOptions): VolumePlugin {
  const directories = directoryRoot(files, root)
  return {
    name,
    supports: ({ spec }) => spec?.hostPath !== undefined,
    provisioner: {
      describe(request) {
        if (!provisioning) throw new PilothouseError("INVALID", `provisioning in volume plugin "${name}" is disabled`)
        return described(request, directories)
      },
      async provision(volume) {
        if (volume.spec?.volumeMode === "Block") throw new PilothouseError("INVALID", `${name} does not support block volume provisioning`)
        directories.make(ownPath(volume, directories), directoryMode)
      },
      unused: async () => directories.empty().filter((found) => found.startsWith(provisionedPrefix)),
      async discard(unused) {
        if (directories.empty().includes(unused)) directories.remove(directories.pathOf(unused))
      },
    },
    async recycle(volume) {
      const path = ownPath(volume, directories)
      directories.clear(path)
      directories.make(path, directoryMode)
    },
    async delete(volume) {
      directories.remove(ownPath(volume, directories))
    },
  }
}

function described({ name: volume, claim: { spec } }: ProvisionRequest, directories: DirectoryRoot): DescribedVolume {
  return {
    annotations: { "kubernetes.io/createdby": "hostpath-dynamic-provisioner" },
    spec: {
      accessModes: spec?.accessModes?.length ? spec.accessModes : ["ReadWriteOnce"],
      capacity: { storage: spec?.resources?.requests?.storage ?? "0" },
      ...(spec?.volumeMode !== undefined && { volumeMode: spec.volumeMode }),
      hostPath: { path: directories.pathOf(volume), type: "" },
    },
  }
}

/** Returns the path of the volume; throws when the directory was provisioned for another volume, whatever path the PersistentVolume has. */
function ownPath({ metadata, spec }: PersistentVolume, directories: DirectoryRoot): string {
  const path = spec?.hostPath?.path ?? ""
  const [first = ""] = directories.namesOf(path)
  if (!first.startsWith(provisionedPrefix) || first === metadata.name) return path
  const message = `expected a directory of the volume ${metadata.name}, found ${path}, which is that of ${first}; give the volume a path of its own`
  throw new PilothouseError("INVALID", message)
}
