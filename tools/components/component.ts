/** Says in short lines what is happening; called at every step and about every hundred compiled packages. */
export type Progress = (line: string) => void

export interface MakeContext {
  /** An empty directory of our own; what is in `bin` of it afterwards is the component. */
  directory: string
  progress: Progress
  signal: AbortSignal
}

/** A program of a component, and how it says its version: proof that it runs here and is the one the table names. */
export interface Binary {
  name: string
  versionArguments: string[]
  /** Must occur in what the program then prints. */
  expected: string
}

/** One version of one real program (or set of programs) that comes from a package registry. */
export interface Component {
  name: string
  version: string
  /** False: downloaded in seconds. True: compiled for minutes, so CI uses it only where it is cached already. */
  compiled: boolean
  /** Where it comes from, for the list. */
  source: string
  /** Absent: everywhere. Otherwise `platform-arch` as Node names them. */
  platforms?: readonly string[]
  binaries: readonly Binary[]
  make(context: MakeContext): Promise<void>
}

/** `kubectl@1.35.2`: what the cache, messages and the command line call a component. */
export function label(component: Pick<Component, "name" | "version">): string {
  return `${component.name}@${component.version}`
}
