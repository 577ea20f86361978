import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { type Files, PilothouseError, withoutTrailing } from "@pilothouse/seams"
import { type DescribedVolume, type ProvisionRequest, provisionedPrefix, type VolumePlugin } from "./volume-plugin.ts"

/** The prefix of directories that are being scrubbed or removed. No volume name may have it. */
const hiddenPrefix = ".pilothouse-removing-"

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

/**
 * The directories below one root. Every path is checked: a path that is not below the root, or leaves it by dots or a symbolic
 * link, is refused without any change.
 */
interface DirectoryRoot {
  pathOf(name: string): string
  /** The names that lead from the root to the path. */
  namesOf(path: string): readonly string[]
  /** Creates the directory; does nothing when it exists. */
  make(path: string, mode: number): void
  /** Deletes the content of the directory. */
  clear(path: string): void
  remove(path: string): void
  /** Returns the names of empty directories directly below the root. */
  empty(): readonly string[]
}

/** Gives directories below one root to volumes. Invariant: no path and no symbolic link leads out of the root. */
function directoryRoot(files: Files, given: string): DirectoryRoot {
  const root = withoutTrailing(given, "/")
  if (!root.startsWith("/") || namesIn(root).some(isStep)) {
    throw new PilothouseError("INVALID", `expected an absolute directory below / as the root of volumes, found ${JSON.stringify(given)}`)
  }
  const pathOf = (name: string): string => `${root}/${name}`
  const isOwn = (name: string): boolean => files.realPath(pathOf(name)) === `${files.realPath(root)}/${name}`

  const namesOf = (path: string): readonly string[] => {
    const names = path.startsWith(`${root}/`) ? namesIn(path.slice(root.length)) : []
    if (names.length > 0 && !names.some(isStep) && !names[0]?.startsWith(hiddenPrefix)) return names
    throw new PilothouseError("INVALID", `expected a path below ${root}, found ${JSON.stringify(path)}; nothing else is touched`)
  }

  /** Whether the path exists; throws when a link leads elsewhere. */
  const isThere = (path: string): boolean => {
    const names = namesOf(path)
    const real = files.realPath(path)
    if (real === undefined || real === [files.realPath(root), ...names].join("/")) return real !== undefined
    throw new PilothouseError("INVALID", `expected a directory at ${path}, found a link that leads to ${real}; nothing outside is touched`)
  }

  /**
   * Renames it to a name directly below the root, where no user of a volume can replace it by a link, and returns that name; undefined when
   * it does not exist. A directory that a crash left under that name was being removed.
   */
  const hide = (path: string): string | undefined => {
    const names = namesOf(path)
    const hiddenName = `${hiddenPrefix}${encodeURIComponent(names.join("/"))}`
    const hidden = pathOf(hiddenName)
    if (!isThere(path)) return isOwn(hiddenName) ? hidden : undefined
    files.remove(hidden)
    files.rename(path, hidden)
    const above = names.length > 1 ? pathOf(names.slice(0, -1).join("/")) : root
    try {
      if (isOwn(hiddenName) && (above === root || isThere(above))) return hidden
      throw new PilothouseError("INVALID", `expected a directory at ${path}, found a link that leads to ${files.realPath(hidden)}`)
    } catch (error) {
      // A link replaced the directory before the rename: its target is not part of the volume.
      files.rename(hidden, path)
      throw error
    }
  }

  return {
    pathOf,
    namesOf,
    make(path, mode) {
      const parents = namesOf(path).map((_, at, names) => pathOf(names.slice(0, at + 1).join("/")))
      for (const parent of parents) isThere(parent)
      files.makeDirectory(path, mode)
      // A dangling link does not count as existing.
      if (!isThere(path))
        throw new PilothouseError("FILE", `expected to have made the directory ${path}, found none; remove what is in its place`)
    },
    clear(path) {
      const hidden = hide(path)
      if (hidden === undefined) return
      try {
        for (const name of files.list(hidden)) files.remove(`${hidden}/${name}`)
      } finally {
        files.rename(hidden, path)
      }
    },
    remove(path) {
      const hidden = hide(path)
      if (hidden !== undefined) files.remove(hidden)
    },
    empty: () => files.list(root).filter((name) => isEmptyDirectory(files, pathOf(name)) && isOwn(name)),
  }
}

function isEmptyDirectory(files: Files, path: string): boolean {
  return files.facts(path)?.directory === true && files.list(path).length === 0
}

function namesIn(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "")
}

function isStep(name: string): boolean {
  return name === "." || name === ".."
}
