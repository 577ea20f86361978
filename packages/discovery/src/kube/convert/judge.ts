import type { Node, Pod } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointHealth } from "../../model/endpoint.ts"
import type { Service } from "../../model/service.ts"
import { endpointOf, podAddresses } from "./endpoint.ts"
import { localityOf } from "./locality.ts"
import type { ConversionOptions } from "./options.ts"
import type { Share } from "./sharing.ts"
import type { EndpointSource, SourceEndpoint, SourcePort } from "./source.ts"

/** What is known around a source of endpoints. */
export interface Surroundings {
  readonly service: Service
  readonly dualStack: boolean
  readonly options: ConversionOptions
  pod(key: string): Pod | undefined
  /** A pod of this namespace with this address: the best guess for an address that was written by hand. */
  podAt(address: string, namespace: string): Pod | undefined
  node(name: string): Node | undefined
  networkOf(address: string, pod: Pod | undefined): string
  readonly share?: Share
}

/** Whether one address behind one port is used, and why. */
export interface Judgement {
  readonly address: string
  readonly portName: string
  readonly port: number | undefined
  /** Undefined: it is not used. */
  readonly endpoint?: Endpoint
  readonly reason: string
  /** The pod that it waits for. */
  readonly waitsFor?: string
}

/** What one source of endpoints says of a service, address by address. */
export interface SourceJudgements {
  /** "namespace/name" of the slice. */
  readonly source: string
  readonly cluster: string
  readonly judged: readonly Judgement[]
}

/** Judges every address and port of a source, in its order. */
export function judge(source: EndpointSource, around: Surroundings): readonly Judgement[] {
  const judged: Judgement[] = []
  for (const { ports, endpoints } of source.groups)
    for (const endpoint of endpoints) judgeEndpoint({ source, endpoint, ports, around }, judged)
  return judged
}

interface Case {
  readonly source: EndpointSource
  readonly endpoint: SourceEndpoint
  readonly ports: readonly SourcePort[]
  readonly around: Surroundings
}

function judgeEndpoint(of: Case, judged: Judgement[]): void {
  const { endpoint, ports, around } = of
  const [address = ""] = endpoint.addresses
  const pod = podOf(of, address)
  const health = healthOf(endpoint, around.service)
  const out = whyOut(of, pod) ?? (health === "terminating" ? "it is terminating" : undefined)
  if (out === undefined && health !== "terminating") judgeUsed({ ...of, pod, health }, judged)
  else for (const { name, port } of ports) judged.push({ address, portName: name, port, reason: out!, waitsFor: waitsFor(of, pod) })
}

function judgeUsed(of: Case & { readonly pod: Pod | undefined; readonly health: EndpointHealth }, judged: Judgement[]): void {
  const { endpoint, ports, around, pod, health } = of
  const [address = ""] = endpoint.addresses
  const nodeName = pod?.spec?.nodeName ?? endpoint.node
  const node = nodeName === undefined ? undefined : around.node(nodeName)
  const addresses = around.dualStack && pod !== undefined ? withOtherFamily(endpoint.addresses, pod) : firstOf(endpoint.addresses)
  const { service, share } = around
  const network = around.networkOf(address, pod)
  const parts = { addresses, health, namespace: service.namespace, network, pod, locality: localityOf(pod, node), nodeName, share }
  for (const { name, port } of ports) {
    const portName = servicePortName(name, service)
    if (port === undefined) judged.push({ address, portName, port, reason: "it names no port number" })
    else {
      const made = endpointOf({ ...parts, port, portName }, around.options)
      judged.push({ address, portName, port, endpoint: made, reason: whyIn(of, pod, health) })
    }
  }
}

/** Sessions that are bound to an endpoint may finish there while it is going. */
const sessionLabels = ["istio.io/persistent-session", "istio.io/persistent-session-header"] as const

function keepsSessions({ labels }: Pick<Service, "labels">): boolean {
  return sessionLabels.some((label) => labels[label] !== undefined && labels[label] !== "")
}

/** "terminating" is not sent. */
function healthOf(endpoint: SourceEndpoint, service: Service): EndpointHealth | "terminating" {
  if (endpoint.ready) return "healthy"
  if (endpoint.terminating) return endpoint.serving && keepsSessions(service) ? "draining" : "terminating"
  return service.publishNotReady ? "healthy" : "unhealthy"
}

/** Endpoints that are written by hand may leave the name out where the service has one port only. */
function servicePortName(name: string, { ports }: Service): string {
  return name === "" && ports.length === 1 ? ports[0]!.name : name
}

function waitsFor({ source, endpoint }: Case, pod: Pod | undefined): string | undefined {
  return pod === undefined && source.ignored === undefined ? endpoint.pod : undefined
}

function podOf({ endpoint, around }: Case, address: string): Pod | undefined {
  return endpoint.pod === undefined ? around.podAt(address, around.service.namespace) : around.pod(endpoint.pod)
}

function whyOut({ source, endpoint, around }: Case, pod: Pod | undefined): string | undefined {
  if (source.ignored !== undefined) return source.ignored
  if (around.service.resolution === "dns") return "the service is an ExternalName"
  if (endpoint.addresses.length === 0) return "it has no address"
  if (endpoint.pod !== undefined && pod === undefined) return `its pod ${endpoint.pod} has not been seen yet`
  if (source.family === "IPv6" && around.dualStack && pod !== undefined && hasIpv4(pod)) {
    return "it is the second address of a pod that is sent with its IPv4 address"
  }
  return undefined
}

function whyIn({ endpoint, around }: Case, pod: Pod | undefined, health: string): string {
  const whose = pod === undefined ? "an address that was written by hand" : `pod ${pod.metadata.namespace}/${pod.metadata.name}`
  const why =
    !endpoint.ready && health === "healthy" && around.service.publishNotReady ? ", because the service publishes what is not ready" : ""
  return `it is ${health}${why}: ${whose}`
}

/** A slice of one address is shared: most have one. */
function firstOf(addresses: readonly string[]): readonly string[] {
  return addresses.length === 1 ? addresses : addresses.slice(0, 1)
}

function hasIpv4(pod: Pod): boolean {
  return podAddresses(pod).some((address) => !address.includes(":"))
}

function withOtherFamily(addresses: readonly string[], pod: Pod): readonly string[] {
  const all = podAddresses(pod)
  const [first = ""] = addresses
  return [first, ...all.filter((address) => address !== first)]
}
