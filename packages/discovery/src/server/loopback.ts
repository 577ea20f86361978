import { isLoopbackIp } from "@pilothouse/api/net"

/** The only hosts that xDS may be served at without TLS: no other machine can listen in. */
export function isLoopback(host: string): boolean {
  return isLoopbackIp(host) || host === "localhost" || host.startsWith("unix:")
}
