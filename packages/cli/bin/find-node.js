// Finds a Node that runs Pilothouse (24 or newer). Plain JavaScript: any Node from 18 on must be able to parse this file.
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const oldestNode = 24

/** The path of a suitable Node: the one that runs this, else, in a clone, the one that `npm ci` installed; undefined when there is neither. */
export function findNode(runningVersion = process.versions.node) {
  if (Number(runningVersion.split(".")[0]) >= oldestNode) return process.execPath
  return bundledNode()
}

export const nodeMissing = `pilothouse needs Node ${oldestNode} or newer, found ${process.version}; install Node ${oldestNode} and run the command again`

function bundledNode() {
  const platform = process.platform === "win32" ? "win" : process.platform
  const file = process.platform === "win32" ? "node.exe" : "node"
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${platform}-${process.arch}/package.json`)
    return join(dirname(manifest), "bin", file)
  } catch {
    // An installed package brings no Node, and a clone none for every platform: the caller says what to do.
    return undefined
  }
}
