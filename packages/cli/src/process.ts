/** Whether a process with this id runs, ours or not. */
export function isRunning(pid: number): boolean {
  try {
    // Signal 0 asks without sending anything.
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs, and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** Ends at Ctrl-C or when the system asks the process to end. A second Ctrl-C ends the process at once. */
export function untilAskedToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve())
  })
}

/** Calls it whenever the system sends SIGHUP, until disposed. */
export function onHangUp(listener: () => void): Disposable {
  process.on("SIGHUP", listener)
  return { [Symbol.dispose]: () => void process.removeListener("SIGHUP", listener) }
}
