import { join, resolve } from "node:path"
import type { Files } from "@pilothouse/seams"
import { type DirectoryOptions, defaultDirectory, directoryOf, namedClusters } from "../data-directory/choose-directory.ts"
import { type OwnerRecord, runningOwner } from "../data-directory/data-directory.ts"
import type { OwnerSystem } from "../data-directory/directory-owner.ts"

/** A data directory of this machine, and the process that serves its cluster. */
export interface KnownCluster {
  /** Absent for one that was started with a data directory. */
  readonly name?: string
  /** Absolute. */
  readonly directory: string
  /** Absent where no process has the directory. */
  readonly owner?: OwnerRecord
}

export interface MachineSeams {
  readonly files: Files
  readonly system: Pick<OwnerSystem, "isRunning" | "lock">
}

/** Returns the cluster that the flags of a command name. */
export function namedCluster(options: DirectoryOptions, seams: MachineSeams): KnownCluster {
  return clusterIn(resolve(directoryOf(options)), options.name, seams)
}

/** Returns the cluster of the working directory, if it has one, and all clusters with a name. */
export function knownClusters(seams: MachineSeams): readonly KnownCluster[] {
  const here = resolve(defaultDirectory)
  const own = seams.files.facts(here)?.directory ? [clusterIn(here, undefined, seams)] : []
  const parent = namedClusters()
  const names = seams.files.facts(parent)?.directory ? [...seams.files.list(parent)].sort() : []
  return [...own, ...names.map((name) => clusterIn(join(parent, name), name, seams))]
}

function clusterIn(directory: string, name: string | undefined, { files, system }: MachineSeams): KnownCluster {
  return { name, directory, owner: runningOwner(files, system, directory) }
}
