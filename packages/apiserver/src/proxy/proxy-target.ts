import { badRequest, notFound, serviceUnavailable } from "@pilothouse/api"
import { endpoints, type Pod, pods, type Service, services } from "@pilothouse/api/core/v1"
import { canonicalIp, isGlobalUnicastIp, isLoopbackIp } from "@pilothouse/api/net"
import { readObject } from "../registry/object-key.ts"
import type { Call } from "../server/call.ts"
import { readyEndpoint, slicesOf } from "../services/ready-endpoint.ts"

/** Where a proxied request goes. */
export interface ProxyTarget {
  readonly scheme: "http" | "https"
  readonly address: string
  /** Undefined: that of the scheme. */
  readonly port: number | undefined
  readonly nodeName: string | undefined
}

interface ProxiedName {
  readonly scheme: "http" | "https"
  readonly name: string
  /** A number or a name; "" where none is named. */
  readonly port: string
}

/** "web", "web:8080", "https:web:8443"; the port may be left empty. */
function proxiedName(text: string, what: "pod" | "service"): ProxiedName {
  const parts = text.split(":")
  const [scheme = "", name = "", port = ""] = parts.length === 3 ? parts : ["", ...parts]
  const isKnown = scheme === "" || scheme === "http" || scheme === "https"
  if (parts.length > 3 || name === "" || !isKnown) throw badRequest(`invalid ${what} request ${JSON.stringify(text)}`)
  return { scheme: scheme === "https" ? "https" : "http", name, port }
}

/** The pod's address, with the port that is named, or the first that a container declares. */
export function podTarget(call: Call): ProxyTarget {
  const { scheme, name, port: named } = proxiedName(call.name, "pod")
  const pod = storedPod(call, name)
  if (pod === undefined) throw notFound(pods, name)
  const declared = pod.spec?.containers.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort
  const port = named === "" ? declared : portNumber(call.name, named)
  const address = addressesOf(pod)[0]
  if (address === undefined || !isProxyable(call, address)) throw badRequest("address not allowed")
  return { scheme, address, port: port === undefined ? undefined : Number(port), nodeName: pod.spec?.nodeName }
}

function portNumber(request: string, text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port > 0 && port < 65_536) return port
  throw badRequest(
    `invalid pod request ${JSON.stringify(request)}: expected the number of a port from 1 to 65535, found ${JSON.stringify(text)}`,
  )
}

/** A ready endpoint of the Service that is a pod of its namespace. */
export function serviceTarget(call: Call): ProxyTarget {
  const { server, namespace = "" } = call
  const { scheme, name, port } = proxiedName(call.name, "service")
  const isNumber = /^[+-]?\d{1,18}$/.test(port)
  const service: Service | undefined = readObject(server.storage, server.registry.of(services), namespace, name)
  // By a name upstream looks for the endpoints alone.
  if (service === undefined) throw notFound(isNumber ? services : endpoints, name)
  const portName = isNumber ? portNameOf(service, name, Number(port)) : port
  const slices = slicesOf(server, namespace, name, service.spec?.ipFamilies?.[0])
  const found = readyEndpoint(slices, portName, server.random, ({ targetRef }, address) => {
    const pod = targetRef?.namespace === namespace ? storedPod(call, targetRef.name ?? "") : undefined
    return pod !== undefined && addressesOf(pod).includes(address) && isProxyable(call, address)
  })
  if (found !== undefined) return { scheme, ...found }
  const isEmpty = slices.every((slice) => (slice.endpoints ?? []).length === 0)
  throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(isEmpty ? name : call.name)}`)
}

function portNameOf({ spec }: Service, name: string, port: number): string {
  const found = spec?.ports?.find((one) => Number(one.port) === port)
  if (found === undefined) throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`)
  return found.name ?? ""
}

function storedPod({ server, namespace }: Call, name: string): Pod | undefined {
  return name === "" ? undefined : readObject(server.storage, server.registry.of(pods), namespace, name)
}

function addressesOf({ status }: Pod): readonly string[] {
  const all = (status?.podIPs ?? []).map(({ ip }) => ip)
  return all.length > 0 ? all : [status?.podIP ?? ""].filter((address) => address !== "")
}

/**
 * As Go's IsGlobalUnicast. Loopback addresses are those of pods that are processes: where this server was given a network of pods, that knows which are, and
 * refuses all others.
 */
function isProxyable({ server }: Call, address: string): boolean {
  return isLoopbackIp(address) ? server.dialPod !== undefined : isGlobalUnicastIp(address)
}

/** The host of a URL: without the port where it is that of the scheme. */
export function hostOf({ address, port }: ProxyTarget): string {
  const host = canonicalIp(address)?.includes(":") ? `[${canonicalIp(address)}]` : (canonicalIp(address) ?? address)
  return port === undefined ? host : `${host}:${port}`
}
