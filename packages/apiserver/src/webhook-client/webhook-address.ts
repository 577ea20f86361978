import { quoted } from "@pilothouse/api"
import type { WebhookClientConfig } from "@pilothouse/api/admissionregistration/v1"
import { type Service, services } from "@pilothouse/api/core/v1"
import { type DialedServer, PilothouseError, type Random } from "@pilothouse/seams"
import { readObject } from "../registry/object-key.ts"
import type { Registry } from "../registry/registry.ts"
import { hostAndPort } from "../request/host-and-port.ts"
import { isSimulatedAddress, readyEndpoint, slicesOf } from "../services/ready-endpoint.ts"
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
  const endpoint = readyEndpoint(slicesOf(sources, namespace, name, ipFamilies[0]), found.name ?? "", sources.random)
  if (endpoint === undefined) throw new Error(`no endpoints available for service ${quoted(name)}`)
  const { address, nodeName } = endpoint
  const place = hostAndPort(address, endpoint.port)
  // What answers for simulated pods has no TLS: dialling would wait for an address that no network has.
  if (isSimulatedAddress(sources, address, nodeName))
    throw new PilothouseError("CONNECTION_LOST", `dial tcp ${place}: connect: connection refused`)
  return place
}
