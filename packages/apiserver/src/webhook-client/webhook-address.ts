import { isSimulatedNode, quoted } from "@pilothouse/api"
import type { WebhookClientConfig } from "@pilothouse/api/admissionregistration/v1"
import { type Node, nodes, type Service, services } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import { isLoopbackIp } from "@pilothouse/api/net"
import { type DialedServer, PilothouseError, type Random } from "@pilothouse/seams"
import { listPrefix, readObject } from "../registry/object-key.ts"
import type { Registry } from "../registry/registry.ts"
import type { Storage } from "../storage/storage.ts"

/** Where a webhook is. */
export interface WebhookAddress {
  /** As messages name it: "https://hook.shop.svc:443/validate". */
  readonly url: string
  readonly path: string
  /** Sent as the Host header. */
  readonly host: string
  /** Finds the server; throws where a Service has none. */
  server(): DialedServer
}

interface Sources {
  readonly storage: Storage
  readonly registry: Registry
  /** Draws among several endpoints. */
  readonly random: Pick<Random, "next">
}

/** Returns the address of a webhook from its clientConfig: a URL, or a Service that is resolved with each call. */
export function webhookAddress(sources: Sources, { url, service, caBundle }: WebhookClientConfig): WebhookAddress {
  const authority = caBundle === undefined || caBundle === "" ? {} : { caBundle: Buffer.from(caBundle, "base64").toString() }
  if (service !== undefined) {
    const { name, namespace, path = "", port = 443 } = service
    const serverName = `${name}.${namespace}.svc`
    const host = `${serverName}:${port}`
    const at = cleanPath(path)
    const server = () => ({ server: `https://${endpointOf(sources, namespace, name, port)}`, serverName, ...authority })
    return { url: `https://${host}${at}`, path: at, host, server }
  }
  if (url === undefined) throw new Error("webhook configuration must have either service or URL")
  const parsed = new URL(url)
  const at = cleanPath(parsed.pathname)
  return { url: `https://${parsed.host}${at}`, path: at, host: parsed.host, server: () => ({ server: parsed.origin, ...authority }) }
}

/** As Go joins paths: no empty segments, and no slash at the end. */
function cleanPath(path: string): string {
  return `/${path
    .split("/")
    .filter((segment) => segment !== "")
    .join("/")}`
}

/**
 * A ready endpoint of the port, as kube-apiserver finds one with --enable-aggregator-routing: there is no proxy of Services in front of this server. Slices
 * of the Service's first IP family come first, otherwise slices and endpoints are drawn. Throws where there is none, or where a simulated pod stands there.
 */
export function endpointOf(sources: Sources, namespace: string, name: string, port: number): string {
  const { storage, registry } = sources
  const service: Service | undefined = readObject(storage, registry.of(services), namespace, name)
  if (service === undefined) throw new Error(`service ${quoted(name)} not found`)
  const { type = "ClusterIP", externalName = "", ports = [], ipFamilies = [] } = service.spec ?? {}
  if (type === "ExternalName") return `${externalName}:${port}`
  const found = ports.find((one) => Number(one.port) === port)
  if (found === undefined) throw new Error(`no service port ${port} found for service ${quoted(name)}`)
  const endpoint = readyEndpoint(sources, slicesOf(sources, namespace, name, ipFamilies[0]), found.name ?? "")
  if (endpoint === undefined) throw new Error(`no endpoints available for service ${quoted(name)}`)
  // What answers for simulated pods has no TLS: dialling would wait for an address that no network has.
  if (endpoint.isSimulated) throw new PilothouseError("CONNECTION_LOST", `dial tcp ${endpoint.address}: connect: connection refused`)
  return endpoint.address
}

function slicesOf(
  { storage, registry, random }: Sources,
  namespace: string,
  service: string,
  preferred: string | undefined,
): readonly EndpointSlice[] {
  const resource = registry.of(endpointSlices)
  const slices = storage.list(listPrefix(resource, namespace)).items.map(({ value }) => resource.stored.decode(value) as EndpointSlice)
  const own = slices.filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === service)
  const drawn = startingAnywhere(own, random)
  if (preferred === undefined) return drawn
  return [...drawn.filter(({ addressType }) => addressType === preferred), ...drawn.filter(({ addressType }) => addressType !== preferred)]
}

function readyEndpoint(sources: Sources, slices: readonly EndpointSlice[], portName: string): FoundEndpoint | undefined {
  for (const { ports = [], endpoints = [] } of slices) {
    const port = ports.find((one) => (one.name ?? "") === portName)?.port
    if (port === undefined) continue
    for (const { conditions, addresses, nodeName } of startingAnywhere(endpoints, sources.random)) {
      const [address] = addresses
      if (conditions?.ready === false || address === undefined) continue
      return {
        address: address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`,
        isSimulated: isSimulated(sources, address, nodeName),
      }
    }
  }
  return undefined
}

interface FoundEndpoint {
  /** Host and port. */
  readonly address: string
  /** Whether it is a pod that runs nowhere. */
  readonly isSimulated: boolean
}

/** A pod on a simulated node runs nowhere, unless it is a process: those have addresses of this host. */
function isSimulated({ storage, registry }: Sources, address: string, nodeName: string | undefined): boolean {
  if (nodeName === undefined || isLoopbackIp(address)) return false
  const node: Node | undefined = readObject(storage, registry.of(nodes), undefined, nodeName)
  return node !== undefined && isSimulatedNode(node) && (node.status?.addresses ?? []).every((one) => one.address !== address)
}

/** All of a list in order, but from any of its items on: as upstream draws endpoints. */
function startingAnywhere<T>(items: readonly T[], random: Pick<Random, "next">): readonly T[] {
  if (items.length < 2) return items
  const start = Math.floor(random.next() * items.length)
  return [...items.slice(start), ...items.slice(0, start)]
}
