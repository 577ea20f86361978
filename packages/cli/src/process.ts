/**
 * Aborts at Ctrl-C or when the system asks the process to end. A second Ctrl-C ends the process at once. Listens until disposed, which is for when all
 * work is over: a launcher passes on what the terminal has sent already, and nobody listening would end the process in the middle. With `hangUp` a terminal
 * that is closed is such a request too, for who has nothing to read again then.
 */
export function stopRequest(hangUp = false): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  const names = ["SIGINT", "SIGTERM", ...(hangUp ? (["SIGHUP"] as const) : [])] as const
  const stop = () => controller.abort()
  for (const name of names) process.once(name, stop)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of names) process.removeListener(name, stop)
    },
  }
}

/** Ends when that is asked for; what comes then, until the process is over, is not interrupted. */
export function untilAskedToStop(hangUp = false): Promise<void> {
  const { signal } = stopRequest(hangUp)
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
}

/** Calls it whenever the system sends SIGHUP, until disposed. */
export function onHangUp(listener: () => void): Disposable {
  process.on("SIGHUP", listener)
  return { [Symbol.dispose]: () => void process.removeListener("SIGHUP", listener) }
}
