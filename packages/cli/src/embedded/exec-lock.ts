import { once } from "node:events"
import { createServer } from "node:net"
import type { Log } from "@pilothouse/seams"

/** Beside the addresses of nodes (127.60.0.1 to 127.60.3.232); on a system with one address it is that one. */
export const place = { host: "127.60.255.1", port: 16_060 }

const warning =
  "another cluster of up --exec runs on this machine: pods of both get the same addresses, and the one that listens first answers for both; stop one of them"

/** Said at the start of `up --exec` as root. */
export const execAsRoot =
  "up --exec runs as root: every client that may create pods runs programs as root on this machine, without a sandbox (image process without runAsUser); start it as another user, or give every such pod a securityContext.runAsUser"

/**
 * Warns where another cluster of `up --exec` runs on this machine, of any user. A port without traffic is the lock: the system gives it to one
 * process, and takes it back whatever ends that. A file would be somewhere else for another user. Where the port cannot be had for any other reason,
 * that is unknown, and nothing is logged.
 */
export async function takeExecLock(oneAddress: boolean, log: Log, { host, port } = place): Promise<Disposable> {
  const server = createServer((socket) => socket.destroy())
  // It is no reason to go on running.
  server.unref().listen({ host: oneAddress ? "127.0.0.1" : host, port, exclusive: true })
  try {
    await once(server, "listening")
    return { [Symbol.dispose]: () => void server.close() }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") log.warn(warning)
    return { [Symbol.dispose]() {} }
  }
}
