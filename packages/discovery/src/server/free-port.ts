import { createServer } from "node:net"
import { messageOf, PilothouseError } from "@pilothouse/seams"

/**
 * Ends where a port can be listened on, and says why where it cannot. Asked before the gRPC library tries: that one writes a line of its own to the
 * user's screen when it fails, and whoever tries the next port did not fail.
 */
export async function checkPort(host: string, port: number): Promise<void> {
  const probe = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once("error", reject)
      probe.listen({ host, port, exclusive: true }, resolve)
    })
  } catch (cause) {
    throw refusal(`${host}:${port}`, cause)
  }
  await new Promise((resolve) => probe.close(resolve))
}

function refusal(address: string, cause: unknown): PilothouseError {
  const { code } = cause as NodeJS.ErrnoException
  if (code === "EADDRINUSE")
    return new PilothouseError("PORT_TAKEN", `expected ${address} to be free, found it taken; give another port`, { cause })
  return new PilothouseError("INVALID", `expected an address to listen on, found ${address}: ${messageOf(cause)}; give another`, { cause })
}
