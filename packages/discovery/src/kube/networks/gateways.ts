import { matchesLabels, selectorFromLabels } from "@pilothouse/api"
import type { Service as KubeService, Node } from "@pilothouse/api/core/v1"
import type { NetworkGateway } from "../../model/network-gateway.ts"
import type { Service } from "../../model/service.ts"
import type { MeshNetworks } from "./mesh-networks.ts"
import { networkLabel } from "./networks.ts"

const portLabel = "networking.istio.io/gatewayPort"
const selectorAnnotation = "traffic.istio.io/nodeSelector"
/** The notification. */
export const gatewaysChanged = "the gateways between networks changed"
/** Istio's own port for traffic between networks. */
const defaultPort = 15_443

/** What the gateways of a network depend on. */
export interface GatewaySurroundings {
  readonly cluster: string
  readonly mesh: MeshNetworks
  nodes(): readonly Node[]
}

/** The gateways that a Service is: because its label says so, or because the mesh names it. */
export function gatewaysOf(object: KubeService, service: Service, around: GatewaySurroundings): readonly NetworkGateway[] {
  const labelled = service.labels[networkLabel] ?? ""
  const own = labelled === "" ? [] : [{ network: labelled, port: Number(service.labels[portLabel] ?? defaultPort) }]
  const named = [...around.mesh].flatMap(([network, { gateways }]) =>
    gateways.filter((gateway) => gateway.service === service.hostname).map(({ port }) => ({ network, port })),
  )
  return [...own, ...named].flatMap(({ network, port }) =>
    placesOf(object, service, { port, around }).map((place) => ({ network, cluster: around.cluster, ...place })),
  )
}

/**
 * Returns the gateways that the mesh configuration gives by their address. They are of no cluster: one that is counts before them for the endpoints
 * of its cluster.
 */
export function fixedGateways(mesh: MeshNetworks): readonly NetworkGateway[] {
  return [...mesh].flatMap(([network, { gateways }]) =>
    gateways.flatMap(({ address, port }) => (address === undefined ? [] : [{ network, cluster: "", address, port }])),
  )
}

/** True: its gateways are at the nodes' own addresses, so nodes matter. */
export function isAtNodes({ metadata, spec }: KubeService): boolean {
  return spec?.type === "NodePort" && metadata.annotations?.[selectorAnnotation] !== undefined
}

interface Asked {
  readonly port: number
  readonly around: GatewaySurroundings
}

/** A Service that does not have the port is no gateway. */
function placesOf(object: KubeService, service: Service, { port, around }: Asked): readonly Pick<NetworkGateway, "address" | "port">[] {
  const has = object.spec?.ports?.find((one) => one.port === port)
  if (has === undefined) return []
  if (!isAtNodes(object)) return (service.externalAddresses ?? []).map((address) => ({ address, port }))
  const selector = nodeSelector(object)
  if (selector === undefined || has.nodePort === undefined) return []
  const { nodePort } = has
  const nodes = around.nodes().filter(({ metadata }) => matchesLabels(selectorFromLabels(selector), metadata.labels))
  return nodes.flatMap(externalAddresses).map((address) => ({ address, port: nodePort }))
}

/** Labels as JSON; undefined: it cannot be read, so nothing is selected. */
function nodeSelector({ metadata }: KubeService): Readonly<Record<string, string>> | undefined {
  try {
    const found: unknown = JSON.parse(metadata.annotations?.[selectorAnnotation] || "{}")
    return typeof found === "object" && found !== null ? (found as Readonly<Record<string, string>>) : undefined
  } catch {
    // A typing mistake is no reason to stop: the service is no gateway until it is corrected.
    return undefined
  }
}

function externalAddresses({ status }: Node): readonly string[] {
  return (status?.addresses ?? []).filter(({ type }) => type === "ExternalIP").map(({ address }) => address)
}
