/** Says in the environment of each process whose it is. */
export const ownerVariable = "PILOTHOUSE_OWNER"

/**
 * Ends the processes that an owner left behind when it was killed itself: they would keep the addresses of the pods that are started anew.
 * An owner is a data directory, which one program has at a time. Gives how many there were; where there is no /proc none are found.
 */
export async function endLeftovers(owner: string): Promise<number> {
  const { readdir, readFile } = await import("node:fs/promises")
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))
  const isTheirs = async (pid: string) => {
    // Processes of others cannot be read, and some end while we look.
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "")
    return environment.split("\0").includes(`${ownerVariable}=${owner}`)
  }
  const theirs = await Promise.all(pids.map(async (pid) => ((await isTheirs(pid)) ? [Number(pid)] : [])))
  return theirs.flat().filter(killed).length
}

function killed(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL")
  } catch {
    // Gone by itself in the meantime.
    return false
  }
}
