import { createServer } from "node:net"
import type { Files } from "@pilothouse/seams"
import { messageOf } from "@pilothouse/seams"
import { ownerIn } from "../data-directory/data-directory.ts"
import type { Owner } from "../data-directory/directory-owner.ts"
import { type Finding, note, ok, problem } from "./check.ts"

const minNodeVersion = 24

export function checkNode(version: string): Finding {
  const major = Number(/^v(\d+)/.exec(version)?.[1])
  if (major >= minNodeVersion) return ok("Node", version)
  return problem("Node", version, `install Node ${minNodeVersion} or newer, or let "npm ci" bring the one that is bundled`)
}

/** Reports whether a process listens there already. */
export async function checkPort(host: string, port: number): Promise<Finding> {
  const what = `port ${port}`
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const server = createServer()
    server.once("error", resolve)
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
  if (error === undefined) return ok(what, "free")
  if (error.code === "EADDRINUSE")
    return note(what, "in use, by a running cluster perhaps", '"pilothouse up" takes the next free one; --port asks for another')
  return problem(what, error.message, "choose another with --port")
}

/** Reports whether `up` can keep its data there. */
export function checkDataDirectory(files: Files, path: string, isRunning: (owner: Owner) => boolean): Finding {
  const what = "data directory"
  const facts = files.facts(path)
  if (facts === undefined) return ok(what, `${path} is not there yet: "pilothouse up" makes it`)
  if (!facts.directory) return problem(what, `${path} is a file`, "remove it, or choose another with --data-dir")
  const owner = ownerIn(files, path)
  if (owner !== undefined && isRunning(owner)) return ok(what, `${path} is in use by process ${owner.pid}`)
  return writable(files, path) ?? ok(what, `${path} can be written`)
}

function writable(files: Files, path: string): Finding | undefined {
  const probe = `${path}/doctor-probe`
  try {
    files.write(probe, "")
    files.remove(probe)
    return undefined
  } catch (error) {
    return problem("data directory", messageOf(error), "change its permissions, or choose another with --data-dir")
  }
}
