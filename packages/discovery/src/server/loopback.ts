import { isLoopbackIp } from "@pilothouse/api/net"

/** Nobody else can listen in there: the only hosts that xDS may be served at in plain. */
export function isLoopback(host: string): boolean {
  return isLoopbackIp(host) || host === "localhost" || host.startsWith("unix:")
}
