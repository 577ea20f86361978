import type { Service, ServicePort } from "../../model/service.ts"
import { messages } from "../../wire/messages.ts"
import type { Kind } from "../../xds/kinds.ts"
import { Resource } from "../../xds/resource.ts"
import type { Assignments } from "../assignments.ts"
import type { XdsClient } from "../client.ts"
import type { Generator, Source } from "../generator.ts"
import { clusterName, parseClusterName, spellings, toldPorts, visibleIn } from "../names.ts"
import { grpcCluster, grpcListener, grpcRoute } from "./grpc-resources.ts"

interface Target {
  readonly service: Service
  readonly port: ServicePort
}

/** For gRPC clients without a proxy: one listener for each way to write "host:port", and nothing in it that a client could refuse. */
export function grpcGenerator(source: Source, assignments: Assignments): Generator {
  /** The service behind "web:8080", as this client may write it; the port may be left out where there is only one. */
  const byListener = (name: string, client: XdsClient): Target | undefined => {
    const [, host = name, port] = /^(.*):(\d+)$/.exec(name) ?? []
    const service = hostnamesFor(host, client, source)
      .map((hostname) => source.service(hostname))
      .find((one) => one !== undefined)
    if (service === undefined) return leavingBehind(host, port)
    const ports = toldPorts(service)
    const found = port === undefined ? (ports.length === 1 ? ports[0] : undefined) : ports.find((one) => one.port === Number(port))
    return found && visibleIn(service, client.namespace) ? { service, port: found } : leavingBehind(host, port)
  }
  /** A listener that went and came back unchanged would stay dead for grpc-js: it stays for the grace of its cluster. */
  const leavingBehind = (hostname: string, port: string | undefined) =>
    port ? source.leaving(clusterName(Number(port), hostname)) : undefined
  const byCluster = (name: string, client: XdsClient): Target | undefined => {
    const target = parseClusterName(name)
    const service = target && source.service(target.hostname)
    const port = service && toldPorts(service).find((one) => one.port === target?.port)
    return service && port && visibleIn(service, client.namespace) ? { service, port } : source.leaving(name)
  }
  return {
    names: (kind, client) => allNames(kind, client, source),
    render: (kind, name, client) => {
      if (kind === "endpoint") return assignments.render(name, client)
      const target = kind === "listener" ? byListener(name, client) : byCluster(name, client)
      return target && renderTarget(kind, name, target)
    },
    scope: (kind, name, client) => (kind === "endpoint" ? assignments.scope(name, client) : client.namespace),
    affected: (service) => {
      const clusters = toldPorts(service).map(({ port }) => clusterName(port, service.hostname))
      return { cluster: clusters, endpoint: clusters, route: clusters, listener: listenerNames(service) }
    },
    affectedByEndpoints: () => ({}),
    waitsForEndpoints: (cluster, client) => byCluster(cluster, client)?.service.resolution !== "dns",
  }
}

function renderTarget(kind: Exclude<Kind, "endpoint">, name: string, { service, port }: Target): Resource {
  const cluster = clusterName(port.port, service.hostname)
  if (kind === "listener") return new Resource(kind, name, [messages.listener.encode(grpcListener(name, cluster))])
  if (kind === "route") return new Resource(kind, name, [messages.routeConfiguration.encode(grpcRoute(cluster))])
  return new Resource(kind, name, [messages.cluster.encode(grpcCluster(cluster, service, port))])
}

/** gRPC clients name everything; this is for people who ask with "*". */
function* allNames(kind: Kind, client: XdsClient, source: Source): Iterable<string> {
  for (const service of source.services()) {
    if (!visibleIn(service, client.namespace)) continue
    for (const { port } of toldPorts(service))
      yield kind === "listener" ? `${service.hostname}:${port}` : clusterName(port, service.hostname)
  }
}

function listenerNames(service: Service): readonly string[] {
  const ports = toldPorts(service)
  return spellings(service).flatMap((name) => [name, ...ports.map(({ port }) => `${name}:${port}`)])
}

/** What a host may mean to this client, the likeliest first. The domain is that of any service: all have the same. */
function hostnamesFor(host: string, client: XdsClient, source: Source): readonly string[] {
  const [first] = source.services()
  const domain = first === undefined ? "" : first.hostname.slice(`${first.name}.${first.namespace}.svc`.length)
  const parts = host.split(".")
  if (parts.length === 1) return [`${host}.${client.namespace}.svc${domain}`]
  if (parts.length === 2) return [`${host}.svc${domain}`, host]
  if (parts.length === 3 && parts[2] === "svc") return [`${host}${domain}`, host]
  return [host]
}
