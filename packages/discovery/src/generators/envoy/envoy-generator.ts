import type { Service } from "../../model/service.ts"
import { field, textField } from "../../wire/length-delimited.ts"
import { messages } from "../../wire/messages.ts"
import type { Kind } from "../../xds/kinds.ts"
import { Resource } from "../../xds/resource.ts"
import type { Assignments } from "../assignments.ts"
import type { XdsClient } from "../client.ts"
import type { AliasSource, Generator, Source } from "../generator.ts"
import { addressesOf, clusterName, clustersOf, exportedPorts, isHttp, namedPorts, spellings, visibleIn } from "../names.ts"
import { targetOf } from "../target.ts"
import { blackHoleCluster, envoyCluster, envoyClusterType, passthroughCluster, specialCluster } from "./envoy-cluster.ts"
import { httpListenerName } from "./envoy-listener.ts"
import { EnvoyListeners } from "./envoy-listeners.ts"

const special: readonly string[] = [blackHoleCluster, passthroughCluster]

/** For Envoy: everything that its namespace may see, with listeners by address and routes by host. */
export function envoyGenerator(source: Source, assignments: Assignments): Generator {
  const listeners = new EnvoyListeners(source)
  const cluster = (name: string, client: XdsClient): Resource | undefined => {
    if (special.includes(name)) return new Resource("cluster", name, [messages.cluster.encode(specialCluster(name))])
    const found = targetOf(source, name, client)
    if (found === undefined) return undefined
    const type = envoyClusterType(found.service, client.interception)
    return new Resource("cluster", name, [messages.cluster.encode(envoyCluster(name, found.service, found.port, type))])
  }
  const route = (name: string, client: XdsClient): Resource | undefined => {
    const port = Number(name)
    // "08080" is no other name of it: changes are not announced by that name.
    if (String(port) !== name) return undefined
    const services = source.httpServices(port).filter((service) => visibleIn(service, client.namespace))
    return services.length === 0 ? undefined : envoyRoute(port, services, client, source.aliases)
  }
  return {
    names: (kind, client) => (kind === "listener" ? listeners.names(client) : namesOf(kind, client, source)),
    render: (kind, name, client) => {
      if (kind === "endpoint") return assignments.render(name, client)
      if (kind === "listener") return listeners.render(name, client)
      return kind === "cluster" ? cluster(name, client) : route(name, client)
    },
    scope: (kind, name, client) =>
      kind === "endpoint" ? assignments.scope(name, client) : `${client.namespace} ${client.interception} ${client.unprivileged}`,
    affected: (service) => affectedBy(service, listeners),
    affectedByEndpoints: (service) => {
      const endpoint = clustersOf(service)
      return service.resolution === "passthrough" ? { endpoint, listener: listeners.affectedBy(service) } : { endpoint }
    },
    waitsForEndpoints: (name, client) => {
      const found = targetOf(source, name, client)
      return found !== undefined && envoyClusterType(found.service, client.interception) === "EDS"
    },
  }
}

function affectedBy(service: Service, listeners: EnvoyListeners): Readonly<Record<Kind, readonly string[]>> {
  const clusters = clustersOf(service)
  const http = exportedPorts(service).filter(isHttp)
  return {
    cluster: clusters,
    endpoint: clusters,
    listener: [...http.map(({ port }) => httpListenerName(port)), ...listeners.affectedBy(service)],
    // The name of an alias stands in the routes of its target.
    route: namedPorts(service)
      .filter(isHttp)
      .map(({ port }) => String(port)),
  }
}

function* namesOf(kind: Kind, client: XdsClient, source: Source): Iterable<string> {
  if (kind === "cluster") yield* special
  if (kind === "cluster") yield* source.leavingNames()
  const routes = new Set<string>()
  for (const service of source.services()) {
    if (!visibleIn(service, client.namespace)) continue
    for (const port of exportedPorts(service)) {
      if (kind !== "route") yield clusterName(port.port, service.hostname)
      else if (isHttp(port)) routes.add(String(port.port))
    }
  }
  yield* routes
}

const virtualHostsField = 2

/** All hosts that speak HTTP on one port. The same domain twice would have it refused: the first host by name keeps it. */
function envoyRoute(port: number, services: readonly Service[], client: XdsClient, aliases: Pick<AliasSource, "of">): Resource {
  const taken = new Set<string>()
  const parts: Uint8Array[] = [textField(1, String(port))]
  for (const service of services) {
    const domains = domainsOf(service, aliases.of(service.hostname), port, client).filter((domain) => !taken.has(domain))
    for (const domain of domains) taken.add(domain)
    if (domains.length > 0) parts.push(virtualHost(`${service.hostname}:${port}`, domains, clusterName(port, service.hostname)))
  }
  // Only what was redirected has an address to go on to.
  if (client.interception === "redirect") parts.push(virtualHost("allow_any", ["*"], passthroughCluster))
  return new Resource("route", String(port), parts)
}

function virtualHost(name: string, domains: readonly string[], cluster: string): Buffer {
  const route = {
    cluster,
    timeout: { seconds: 0 },
    // A pod that has just gone refuses connections: nothing was sent yet, so another one can have the request.
    retryPolicy: { retryOn: "connect-failure,refused-stream,reset-before-request", numRetries: { value: 2 } },
  }
  const routes = [{ name: "default", match: { prefix: "/" }, route }]
  return field(virtualHostsField, messages.virtualHost.encode({ name, domains, routes }))
}

function domainsOf(service: Service, aliases: readonly Service[], port: number, client: XdsClient): readonly string[] {
  const seen = aliases.filter((alias) => visibleIn(alias, client.namespace))
  const names = [service, ...seen].flatMap((one) =>
    spellings(one).filter((name) => name !== one.name || one.namespace === client.namespace),
  )
  const addresses = addressesOf(service).map((address) => (address.includes(":") ? `[${address}]` : address))
  return [...names, ...addresses].flatMap((host) => [host, `${host}:${port}`])
}
