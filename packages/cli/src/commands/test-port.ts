import { once } from "node:events"
import { createServer } from "node:net"
import { expect } from "vitest"

/** Below those that systems give to whoever asks for any: no other test is given it between the look and its use. */
export async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); port < 32_000; port++) if (await isFree(port)) return port
  return expect.fail("expected a free port below 32000, found none")
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
