import type { Service } from "../../model/service.ts"
import { field, textField } from "../../wire/length-delimited.ts"
import { messages } from "../../wire/messages.ts"
import { Resource } from "../../xds/resource.ts"
import type { XdsClient } from "../client.ts"
import type { AliasSource } from "../generator.ts"
import { addressesOf, clusterName, spellings, visibleIn } from "../names.ts"
import { passthroughCluster } from "./envoy-cluster.ts"

const virtualHostsField = 2

/** All hosts that speak HTTP on one port. The same domain twice would have it refused: the first host by name keeps it. */
export function envoyRoute(port: number, services: readonly Service[], client: XdsClient, aliases: Pick<AliasSource, "of">): Resource {
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
