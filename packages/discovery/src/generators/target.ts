import type { XdsClient } from "./client.ts"
import type { Source, Target } from "./generator.ts"
import { clusterName, exportedPorts, parseClusterName, visibleIn } from "./names.ts"

/** The service and port behind the name of a cluster, as one client may see them. */
export function targetOf(source: Source, name: string, client: XdsClient): Target | undefined {
  const asked = parseClusterName(name)
  const service = asked && source.getService(asked.hostname)
  const port = service && exportedPorts(service).find((one) => one.port === asked?.port)
  return service && port && visibleIn(service, client.namespace) ? { service, port } : leavingFor(source, name, client)
}

/** The same by host; the port may be left out where there is only one. */
export function targetAt(source: Source, hostname: string, port: number | undefined, client: XdsClient): Target | undefined {
  if (port !== undefined) return targetOf(source, clusterName(port, hostname), client)
  const service = source.getService(hostname)
  const names =
    service === undefined ? leavingNamesOf(source, hostname) : exportedPorts(service).map((one) => clusterName(one.port, hostname))
  return names.length === 1 ? targetOf(source, names[0]!, client) : undefined
}

/** One that has just gone: visible only to clients that could see it before. */
function leavingFor(source: Source, name: string, client: XdsClient): Target | undefined {
  const leaving = source.leaving(name)
  return leaving && visibleIn(leaving.service, client.namespace) ? leaving : undefined
}

/** Those that have just gone are few. */
function leavingNamesOf(source: Source, hostname: string): readonly string[] {
  return [...source.leavingNames()].filter((name) => parseClusterName(name)?.hostname === hostname)
}
