import { quoted } from "@pilothouse/api"
import type { WebhookClientConfig } from "@pilothouse/api/admissionregistration/v1"
import { type Service, services } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import type { DialedServer } from "@pilothouse/seams"
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

/** A ready endpoint of the port, as kube-apiserver finds one with --enable-aggregator-routing: there is no proxy of Services in front of this server. */
export function endpointOf({ storage, registry }: Sources, namespace: string, name: string, port: number): string {
  const service: Service | undefined = readObject(storage, registry.of(services), namespace, name)
  if (service === undefined) throw new Error(`service ${quoted(name)} not found`)
  const { type = "ClusterIP", externalName = "", ports = [] } = service.spec ?? {}
  if (type === "ExternalName") return `${externalName}:${port}`
  const found = ports.find((one) => Number(one.port) === port)
  if (found === undefined) throw new Error(`no service port ${port} found for service ${quoted(name)}`)
  const endpoint = readyEndpoint({ storage, registry }, namespace, name, found.name ?? "")
  if (endpoint === undefined) throw new Error(`no endpoints available for service ${quoted(name)}`)
  return endpoint
}

function readyEndpoint({ storage, registry }: Sources, namespace: string, name: string, portName: string): string | undefined {
  const resource = registry.of(endpointSlices)
  for (const { value } of storage.list(listPrefix(resource, namespace)).items) {
    const slice: EndpointSlice = resource.stored.decode(value)
    if (slice.metadata.labels?.["kubernetes.io/service-name"] !== name) continue
    const port = slice.ports?.find((one) => (one.name ?? "") === portName)?.port
    const ready = slice.endpoints?.find(({ conditions }) => conditions?.ready !== false)
    const address = ready?.addresses[0]
    if (port !== undefined && address !== undefined) return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`
  }
  return undefined
}
