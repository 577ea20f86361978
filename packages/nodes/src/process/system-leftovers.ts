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
 * Ends the processes that an owner left behind when it was killed itself: they would keep the addresses of the pods that are started anew.
 * An owner is a data directory, which one program has at a time. Gives how many there were; where there is no /proc none are found.
 */
export async function endLeftovers(owner: string): Promise<number> {
  const found = await carriers(new Set([`${ownerVariable}=${owner}`]))
  return found.filter(({ pid }) => kill(pid)).length
}

interface Sweep {
  readonly done: Promise<number>
  readonly finish: (left: number) => void
  rounds: number
}

/**
 * Ends what has left the process group of its container. One loop does it for all, so that a hundred containers that end at once are not a hundred
 * looks at /proc. Always true between calls: the loop runs while there are sweeps, and each sweep ends after `maxRounds` at the latest.
 */
export class CarrierSweeper {
  readonly #sweeps = new Map<string, Sweep>()
  #isSweeping = false

  /**
   * Kills all processes that carry an entry ("PILOTHOUSE_CONTAINER=uid/main/0") in the environment that they were started with, again and again until
   * none is found. Gives how many could not be ended.
   */
  end(entry: string): Promise<number> {
    const known = this.#sweeps.get(entry)
    if (known !== undefined) return known.done
    const { promise: done, resolve: finish } = Promise.withResolvers<number>()
    this.#sweeps.set(entry, { done, finish, rounds: 0 })
    if (!this.#isSweeping) void this.#sweep()
    return done
  }

  async #sweep(): Promise<void> {
    this.#isSweeping = true
    while (this.#sweeps.size > 0) {
      // An entry that comes while /proc is read waits for the next round: some processes were passed over by then.
      const current = new Set(this.#sweeps.keys())
      const found = Map.groupBy(await carriers(current), ({ entry }) => entry)
      for (const entry of current) {
        const theirs = found.get(entry) ?? []
        for (const { pid } of theirs) kill(pid)
        this.#settle(entry, theirs.length)
      }
      if (this.#sweeps.size > 0) await new Promise((resolve) => setTimeout(resolve, roundPause))
    }
    this.#isSweeping = false
  }

  #settle(entry: string, left: number): void {
    const sweep = this.#sweeps.get(entry)
    if (sweep === undefined || (left > 0 && ++sweep.rounds < maxRounds)) return
    this.#sweeps.delete(entry)
    sweep.finish(left)
  }
}

interface Carrier {
  readonly pid: number
  readonly entry: string
}

/** All processes with one of the entries. Those of other users cannot be read unless we are root, and some end meanwhile. */
async function carriers(entries: ReadonlySet<string>): Promise<readonly Carrier[]> {
  const { readdir, readFile } = await import("node:fs/promises")
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found: Carrier[] = []
  const look = async (pid: string) => {
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "")
    const entry = environment.split("\0").find((one) => entries.has(one))
    if (entry !== undefined) found.push({ pid: Number(pid), entry })
  }
  for (let from = 0; from < pids.length; from += readTogether) await Promise.all(pids.slice(from, from + readTogether).map(look))
  return found
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL")
  } catch {
    // Gone by itself in the meantime, or of another user.
    return false
  }
}
