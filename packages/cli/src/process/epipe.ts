/** Commands that go on without a reader of their output. */
const serving: ReadonlySet<string> = new Set(["up", "run", "apiserver"])

/** Reports whether a command line is one of a server: `discovery` is one by itself, and its commands are not. */
export function isServing([command = "", next = "-"]: readonly string[]): boolean {
  return serving.has(command) || (command === "discovery" && next.startsWith("-"))
}

interface Output {
  on(name: "error", listener: (error: Error) => void): unknown
}

/**
 * Handles errors of a command's outputs. A server goes on without it, whatever the error is (a closed pipe or terminal, a full disk), and stops
 * in order when it is asked to. Every other command ends: without a word where its reader has seen enough (`pilothouse get pods | head -n 1`), else with
 * a complaint. Always true: no error of an output becomes one that nothing handles, whose report would fail in the same way.
 */
export function exitOnEpipe(outputs: readonly Output[], args: readonly string[], end: (complaint?: string) => void): void {
  const failed = (error: Error) => {
    if (isServing(args)) return
    if ("code" in error && error.code === "EPIPE") end()
    else end(`expected to write the output, found ${error.message}; write it to another place`)
  }
  for (const output of outputs) output.on("error", failed)
}
