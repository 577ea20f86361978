// The API of a small cloud: a rack of machines, described by one JSON file. A provider of yours has the client of its cloud here.
import { readFileSync, renameSync, writeFileSync } from "node:fs"

/** What the file says. */
export interface LabState {
  readonly machines: Readonly<Record<string, Machine>>
  readonly routes: Readonly<Record<string, LabRoute>>
  readonly balancers: Readonly<Record<string, Balancer>>
}

export interface Machine {
  readonly address: string
  readonly rack?: string
  readonly isOff?: boolean
}

export interface LabRoute {
  readonly machine: string
  readonly range: string
}

export interface Balancer {
  readonly address: string
  /** "18080 to 30080 of a, b" */
  readonly ports: readonly string[]
}

export interface Lab {
  read(signal: AbortSignal): Promise<LabState>
  /** One change at a time. Undefined leaves the state as it is: nothing is written where nothing has to change. */
  change(work: (state: LabState) => LabState | undefined, signal: AbortSignal): Promise<void>
}

export const emptyLab: LabState = { machines: {}, routes: {}, balancers: {} }

/** The file is replaced whole: a reader never sees half of it. */
export function labFile(path: string): Lab {
  const read = (): LabState => ({ ...emptyLab, ...(JSON.parse(readFileSync(path, "utf8")) as Partial<LabState>) })
  return {
    read: async () => read(),
    async change(work) {
      const next = work(read())
      if (next === undefined) return
      writeFileSync(`${path}.new`, `${JSON.stringify(next, undefined, 2)}\n`)
      renameSync(`${path}.new`, path)
    },
  }
}
