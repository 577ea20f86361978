import type { Service, ServicePort } from "../../model/service.ts"
import { messages } from "../../wire/messages.ts"
import type { Kind } from "../../xds/kinds.ts"
import { Resource } from "../../xds/resource.ts"
import type { Assignments } from "../assignments.ts"
import type { XdsClient } from "../client.ts"
import type { Generator, Source, Target } from "../generator.ts"
import { clusterName, clustersOf, exportedPorts, namedPorts, spellings, visibleIn } from "../names.ts"
import { httpConnectionManager, overAds } from "../routing.ts"
import { targetAt, targetOf } from "../target.ts"

/** For gRPC clients without a proxy: one listener for each way to write "host:port", and nothing in it that a client could refuse. */
export function grpcGenerator(source: Source, assignments: Assignments): Generator {
  return {
    names: (kind, client) => allNames(kind, client, source),
    render: (kind, name, client) => {
      if (kind === "endpoint") return assignments.render(name, client)
      const target = kind === "listener" ? byListener(source, name, client) : targetOf(source, name, client)
      return target && renderTarget(kind, name, target)
    },
    scope: (kind, name, client) => (kind === "endpoint" ? assignments.scope(name, client) : client.namespace),
    affected: (service) => {
      const clusters = clustersOf(service)
      return { cluster: clusters, endpoint: clusters, route: clusters, listener: listenerNames(service) }
    },
    affectedByEndpoints: (service) => ({ endpoint: clustersOf(service) }),
    waitsForEndpoints: (cluster, client) => targetOf(source, cluster, client)?.service.resolution !== "dns",
  }
}

/**
 * The service behind "web:8080", as this client may write it. A listener that went and came back unchanged would stay dead for grpc-js: in every spelling it
 * stays for the grace of its cluster.
 */
function byListener(source: Source, name: string, client: XdsClient): Target | undefined {
  const [, host = name, port] = /^(.*):([1-9]\d*)$/.exec(name) ?? []
  for (const hostname of hostnamesFor(host, client, source)) {
    const found = byHost(source, hostname, port === undefined ? undefined : Number(port), client)
    if (found !== undefined) return found
  }
  return undefined
}

/** An alias leads to what it stands for, before what is left of a service that had its name. */
function byHost(source: Source, hostname: string, port: number | undefined, client: XdsClient): Target | undefined {
  return (
    behindAlias(source, source.aliases.at(hostname), port, client) ??
    targetAt(source, hostname, port, client) ??
    behindAlias(source, source.aliases.leavingAt(hostname), port, client)
  )
}

/** Only by ports that the alias is known to have: changes are not announced by others. */
function behindAlias(source: Source, alias: Service | undefined, port: number | undefined, client: XdsClient): Target | undefined {
  if (alias?.aliasOf === undefined || !visibleIn(alias, client.namespace)) return undefined
  if (port !== undefined && alias.ports.every((one) => one.port !== port)) return undefined
  return targetAt(source, alias.aliasOf, port, client)
}

function renderTarget(kind: Exclude<Kind, "endpoint">, name: string, { service, port }: Target): Resource {
  const cluster = clusterName(port.port, service.hostname)
  if (kind === "listener") return new Resource(kind, name, [messages.listener.encode(grpcListener(name, cluster))])
  if (kind === "route") return new Resource(kind, name, [messages.routeConfiguration.encode(grpcRoute(cluster))])
  return new Resource(kind, name, [messages.cluster.encode(grpcCluster(cluster, service, port))])
}

/** gRPC clients name everything; this is for people who ask with "*". */
function* allNames(kind: Kind, client: XdsClient, source: Source): Iterable<string> {
  const nameOf = (hostname: string, port: number) => (kind === "listener" ? `${hostname}:${port}` : clusterName(port, hostname))
  for (const cluster of source.leavingNames()) {
    const target = source.leaving(cluster)
    if (target !== undefined) yield nameOf(target.service.hostname, target.port.port)
  }
  const leaving = kind === "listener" ? source.aliases.leaving() : []
  for (const { hostname, ports } of leaving) for (const { port } of ports) yield nameOf(hostname, port)
  for (const service of source.services()) {
    if (!visibleIn(service, client.namespace)) continue
    const { ports } = (kind === "listener" && source.aliases.at(service.hostname)) || { ports: exportedPorts(service) }
    for (const { port } of ports) yield nameOf(service.hostname, port)
  }
}

function listenerNames(service: Service): readonly string[] {
  const ports = namedPorts(service)
  return spellings(service).flatMap((name) => [name, ...ports.map(({ port }) => `${name}:${port}`)])
}

/** What a host may mean to this client, the likeliest first. */
function hostnamesFor(host: string, client: XdsClient, source: Source): readonly string[] {
  const parts = host.split(".")
  if (parts.length === 1) return [`${host}.${client.namespace}.svc${domainOf(source)}`]
  if (parts.length === 2) return [`${host}.svc${domainOf(source)}`, host]
  if (parts.length === 3 && parts[2] === "svc") return [`${host}${domainOf(source)}`, host]
  return [host]
}

/** ".cluster.local": that of any service, also of one that has just gone, since all have the same. */
function domainOf(source: Source): string {
  const [first = leavingService(source)] = source.services()
  return first === undefined ? "" : first.hostname.slice(`${first.name}.${first.namespace}.svc`.length)
}

function leavingService(source: Source): Service | undefined {
  const [name] = source.leavingNames()
  return name === undefined ? undefined : source.leaving(name)?.service
}

function grpcListener(name: string, route: string): object {
  return { name, apiListener: { apiListener: httpConnectionManager("grpc", route) } }
}

/** It has only one host, so that every way to write it matches. The empty prefix is what gRPC's methods begin with. */
function grpcRoute(cluster: string): object {
  return {
    name: cluster,
    virtualHosts: [{ name: cluster, domains: ["*"], routes: [{ match: { prefix: "" }, route: { cluster } }] }],
  }
}

/** Round robin: the only policy that every gRPC client takes. */
function grpcCluster(name: string, service: Service, port: ServicePort): object {
  const common = { name, connectTimeout: { seconds: 10 }, lbPolicy: "ROUND_ROBIN" }
  if (service.resolution !== "dns") return { ...common, type: "EDS", edsClusterConfig: { edsConfig: overAds, serviceName: name } }
  const socketAddress = { address: service.externalName ?? "", portValue: port.port }
  return {
    ...common,
    type: "LOGICAL_DNS",
    loadAssignment: { clusterName: name, endpoints: [{ lbEndpoints: [{ endpoint: { address: { socketAddress } } }] }] },
  }
}
