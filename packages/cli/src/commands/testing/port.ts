import { once } from "node:events"
import { createServer } from "node:net"
import { threadId } from "node:worker_threads"
import { expect } from "vitest"

/** Ports of one thread, and how many threads have their own: from 20000 to below 32000. */
const [portsOfThread, threads] = [50, 240]

/** Below the ephemeral ports, and of this thread alone: no other test gets it between the check and its use. */
export async function freePort(): Promise<number> {
  const first = firstPort(process.pid, threadId)
  for (let port = first; port < first + portsOfThread; port++) if (await isFree(port)) return port
  return expect.fail(`expected a free port from ${first} to ${first + portsOfThread - 1}, found none`)
}

/** Tests that run at once are threads of one process. */
export function firstPort(process: number, thread: number): number {
  return 20_000 + portsOfThread * ((process + thread) % threads)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1")
  try {
    await once(server, "listening")
  } catch {
    return false
  }
  server.close()
  await once(server, "close")
  return true
}
