// Runs a program under a suitable Node and becomes transparent: same streams, same signals, same exit code.
import { spawn } from "node:child_process"
import { constants } from "node:os"
import { findNode, nodeMissing } from "./find-node.js"

/** Of the child, which receives the end of its channel to this process whatever ends it. */
const endWithLauncher = new URL("end-with-launcher.js", import.meta.url).href

export function startNode(args, environment = process.env) {
  const node = findNode()
  if (node === undefined) {
    console.error(nodeMissing)
    process.exitCode = 1
    return
  }
  const child = spawn(node, [`--import=${endWithLauncher}`, ...args], { stdio: ["inherit", "inherit", "inherit", "ipc"], env: environment })
  // A terminal sends Ctrl-C to the whole process group, so the child has it already; a program that sends it to us alone means the child too. As
  // SIGTERM it asks the same and does not count as the second Ctrl-C, which ends a child at once.
  let isInterrupted = false
  process.on("SIGINT", () => {
    isInterrupted = true
    child.kill("SIGTERM")
  })
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("error", (error) => {
    console.error(`pilothouse could not start ${node}: ${error.message}`)
    process.exitCode = 1
  })
  child.on("exit", (code, signal) => {
    // A child that does not listen yet ends by what it was sent for Ctrl-C: the sender asked for that.
    const by = isInterrupted && signal === "SIGTERM" ? "SIGINT" : signal
    process.exitCode = code ?? 128 + (constants.signals[by] ?? 0)
  })
}
