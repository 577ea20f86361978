import type { Endpoint } from "../../model/endpoint.ts"
import type { Service } from "../../model/service.ts"
import { instancesByPort } from "./instances-by-port.ts"

/** The identities of the pods behind these ports, and those that the service's annotations name. Sorted. */
export function serviceAccounts(service: Service | undefined, endpoints: readonly Endpoint[], ports: readonly number[]): readonly string[] {
  const behind = ports.flatMap((port) => instancesByPort(service, endpoints, { port }).map(({ endpoint }) => endpoint.identity))
  return [...new Set([...(service?.accounts ?? []), ...behind.filter((identity) => identity !== "")])].sort()
}
