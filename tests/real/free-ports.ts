import { createServer, type Server } from "node:net"

/** Ports of the loopback that were free a moment ago, all different. */
export async function freePorts(count: number): Promise<number[]> {
  // Held all at once: the kernel would give the same one again.
  const servers = await Promise.all(Array.from({ length: count }, listening))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

function listening(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => resolve(server))
  })
}
