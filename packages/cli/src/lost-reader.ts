/** What goes on though nobody reads what it prints. */
const serving: ReadonlySet<string> = new Set(["up", "run", "apiserver"])

/** Whether a command line is one of a server: `discovery` is one by itself, and its commands are not. */
export function isServing([command = "", next = "-"]: readonly string[]): boolean {
  return serving.has(command) || (command === "discovery" && next.startsWith("-"))
}

interface Output {
  on(name: "error", listener: (error: Error) => void): unknown
}

/**
 * `pilothouse get pods | head -n 1`: the reader goes when it has seen enough. Who prints for it ends with it, without a word; a server goes on, and
 * stops in order when it is asked to.
 */
export function endWithReader(outputs: readonly Output[], args: readonly string[], end: () => void): void {
  const lost = (error: Error) => {
    if (!("code" in error) || error.code !== "EPIPE") throw error
    if (!isServing(args)) end()
  }
  for (const output of outputs) output.on("error", lost)
}
