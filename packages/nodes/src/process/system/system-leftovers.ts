/** Says in the environment of each process whose it is. */
export const ownerVariable = "PILOTHOUSE_OWNER"
/** Says in the environment of each process which run of which container it belongs to: "uid/main/0". */
export const containerVariable = "PILOTHOUSE_CONTAINER"

/** Milliseconds between two rounds: a process that was killed is found until the kernel has removed it. */
const roundPause = 5
/** Rounds before those that are still there are given up: about a second. One hangs in the kernel, or is not ours to kill. */
const maxRounds = 200
/** Processes that are read at once. */
const readTogether = 16

/**
 * Ends the processes that an owner left behind when it was killed itself: they would keep the addresses of the pods that are started again.
 * An owner is a data directory, which one program has at a time. Gives how many there were; where there is no /proc none are found.
 */
export async function endLeftovers(owner: string, table: ProcessTable = systemTable): Promise<number> {
  const entries = new Set([`${ownerVariable}=${owner}`])
  const killed = new Set<number>()
  for (let rounds = 0; rounds < maxRounds; rounds++) {
    const { found, isComplete } = await carriers(entries, table)
    for (const { pid } of found) if (kill(pid)) killed.add(pid)
    if (isComplete) break
    await pause()
  }
  return killed.size
}

/** The processes of this host, as /proc has them. Both reject as the system does. */
export interface ProcessTable {
  names(): Promise<readonly string[]>
  /** What a process was started with: "NAME=value", each with a zero byte behind it. */
  environment(pid: string): Promise<string>
}

const systemTable: ProcessTable = {
  names: async () => (await import("node:fs/promises")).readdir("/proc"),
  environment: async (pid) => (await import("node:fs/promises")).readFile(`/proc/${pid}/environ`, "utf8"),
}

interface Sweep {
  readonly done: Promise<number | undefined>
  readonly finish: (left: number | undefined) => void
  rounds: number
}

/**
 * Ends what has left the process group of its container. One controller does it for all, so that a hundred containers that end at once are not a hundred
 * looks at /proc. Invariant between calls: the controller runs while there are sweeps, and each sweep ends after `maxRounds` at the latest.
 */
export class CarrierSweeper {
  readonly #sweeps = new Map<string, Sweep>()
  readonly #table: ProcessTable
  #isSweeping = false

  constructor(table = systemTable) {
    this.#table = table
  }

  /**
   * Kills all processes that carry an entry ("PILOTHOUSE_CONTAINER=uid/main/0") in the environment that they were started with, again and again until
   * none is found. Gives how many could not be ended; undefined where that is unknown: the system did not let all processes be read.
   */
  end(entry: string): Promise<number | undefined> {
    const known = this.#sweeps.get(entry)
    if (known !== undefined) return known.done
    const { promise: done, resolve: finish } = Promise.withResolvers<number | undefined>()
    this.#sweeps.set(entry, { done, finish, rounds: 0 })
    if (!this.#isSweeping) void this.#sweep()
    return done
  }

  async #sweep(): Promise<void> {
    this.#isSweeping = true
    while (this.#sweeps.size > 0) {
      // An entry that comes while /proc is read waits for the next round: some processes were passed over by then.
      const current = new Set(this.#sweeps.keys())
      const { found, isComplete } = await carriers(current, this.#table)
      const byEntry = Map.groupBy(found, ({ entry }) => entry)
      for (const entry of current) {
        const theirs = byEntry.get(entry) ?? []
        for (const { pid } of theirs) kill(pid)
        this.#settle(entry, isComplete ? theirs.length : undefined)
      }
      if (this.#sweeps.size > 0) await pause()
    }
    this.#isSweeping = false
  }

  #settle(entry: string, left: number | undefined): void {
    const sweep = this.#sweeps.get(entry)
    if (sweep === undefined || (left !== 0 && ++sweep.rounds < maxRounds)) return
    this.#sweeps.delete(entry)
    sweep.finish(left)
  }
}

interface Carrier {
  readonly pid: number
  readonly entry: string
}

interface Round {
  readonly found: readonly Carrier[]
  /** False where the system refused to describe some process, for lack of descriptors for example: one of those not found may carry an entry. */
  readonly isComplete: boolean
}

/** A process that ended meanwhile, one of another user, and a system without /proc. */
const absent: ReadonlySet<unknown> = new Set(["ENOENT", "ESRCH", "EACCES", "EPERM"])

/** All processes with one of the entries. */
async function carriers(entries: ReadonlySet<string>, table: ProcessTable): Promise<Round> {
  const found: Carrier[] = []
  let isComplete = true
  const orAbsent = <T>(fallback: T) => {
    return (error: NodeJS.ErrnoException) => {
      if (!absent.has(error.code)) isComplete = false
      return fallback
    }
  }
  const pids = (await table.names().catch(orAbsent([]))).filter((name) => /^\d+$/.test(name))
  const inspect = async (pid: string) => {
    const environment = await table.environment(pid).catch(orAbsent(""))
    const entry = environment.split("\0").find((one) => entries.has(one))
    if (entry !== undefined) found.push({ pid: Number(pid), entry })
  }
  for (let from = 0; from < pids.length; from += readTogether) await Promise.all(pids.slice(from, from + readTogether).map(inspect))
  return { found, isComplete }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, roundPause))
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL")
  } catch {
    // Gone by itself in the meantime, or of another user.
    return false
  }
}
