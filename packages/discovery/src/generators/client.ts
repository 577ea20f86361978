import { PilothouseError } from "@pilothouse/seams"
import type { Locality, Place } from "../model/endpoint.ts"

/** An xDS client: the facts of its node that decide which resources it receives. */
export interface XdsClient {
  readonly id: string
  readonly generator: "envoy" | "grpc"
  readonly namespace: string
  readonly locality: Locality
  /** The Kubernetes node that it runs on; "" where it did not say. */
  readonly node: string
  /** "none": no traffic is redirected to it, so listeners bind to ports of their own. */
  readonly interception: "redirect" | "none"
  /** It cannot bind to ports below 1024. */
  readonly unprivileged: boolean
  /** The cluster that it is in; "" where it did not say. */
  readonly cluster: string
  /** The network that it is in; "" where it did not say: then everything is near. */
  readonly network: string
  /** The only networks whose endpoints it requests; empty for all. */
  readonly networkView: readonly string[]
  /** What it said that it can do: "xds.config.supports-resource-ttl". */
  readonly features: readonly string[]
  /** "envoy 1.40.0", for people. */
  readonly agent: string
}

/** envoy.config.core.v3.Node as it was read. Its extensions were skipped: they are 61 kB without use here. */
export interface NodeMessage {
  readonly id?: string
  readonly cluster?: string
  readonly metadata?: { readonly fields?: Readonly<Record<string, { readonly stringValue?: string }>> }
  readonly locality?: { readonly region?: string; readonly zone?: string; readonly subZone?: string }
  readonly userAgentName?: string
  readonly userAgentVersion?: string
  readonly clientFeatures?: readonly string[]
}

/** gRPC's word for it, and that of xDS' own documents. */
const wrapperFeatures = ["xds.config.resource-in-sotw", "xds.config.supports-resource-in-sotw"]

/** Reports whether resources that run out may be sent to it; by state of the world they need a wrapper, which is a feature of its own. */
export function takesTtl({ features }: XdsClient, protocol: "sotw" | "delta"): boolean {
  if (!features.includes("xds.config.supports-resource-ttl")) return false
  return protocol === "delta" || wrapperFeatures.some((feature) => features.includes(feature))
}

/** Throws INVALID for a node without an id: a later rejection could not be attributed to a client. */
export function clientOf(node: NodeMessage | undefined): XdsClient {
  if (!node?.id)
    throw new PilothouseError("INVALID", "expected a node with an id in the first request, found none; set node.id in the bootstrap")
  const text = (name: string) => node.metadata?.fields?.[name]?.stringValue ?? ""
  const { region = "", zone = "", subZone = "" } = node.locality ?? {}
  return {
    id: node.id,
    generator: generatorOf(text("GENERATOR"), node.userAgentName ?? ""),
    namespace: text("NAMESPACE") || namespaceIn(node.id) || "default",
    locality: { region, zone, subzone: subZone },
    node: text("NODE_NAME"),
    interception: text("INTERCEPTION_MODE") === "NONE" ? "none" : "redirect",
    unprivileged: text("UNPRIVILEGED_POD") === "true",
    cluster: text("CLUSTER_ID"),
    network: text("NETWORK"),
    networkView: text("REQUESTED_NETWORK_VIEW")
      .split(",")
      .filter((name) => name !== ""),
    features: node.clientFeatures ?? [],
    agent: `${node.userAgentName ?? ""} ${node.userAgentVersion ?? ""}`.trim(),
  }
}

/** The client at a place; where that has no zone, the client's own counts. */
export function placedAt(client: XdsClient, { node, locality }: Place): XdsClient {
  const isKnown = locality.region !== "" || locality.zone !== ""
  return { ...client, node, locality: isKnown ? locality : client.locality }
}

/** "shop/web-1" of "sidecar~10.0.0.1~web-1.shop~shop.svc.cluster.local"; "" where it names none. */
export function podOf({ id }: XdsClient): string {
  const pod = id.split("~")[2] ?? ""
  const name = pod.slice(0, Math.max(0, pod.lastIndexOf(".")))
  return name === "" ? "" : `${namespaceIn(id)}/${name}`
}

/** The metadata decides; without it who the client says it is: "gRPC Node.js", "gRPC C-core"… */
function generatorOf(asked: string, agent: string): XdsClient["generator"] {
  if (asked !== "") return asked === "grpc" ? "grpc" : "envoy"
  return /grpc/i.test(agent) ? "grpc" : "envoy"
}

/** "sidecar~10.0.0.1~web-1.shop~shop.svc.cluster.local": the third part is the pod and its namespace. */
function namespaceIn(id: string): string {
  const pod = id.split("~")[2] ?? ""
  return pod.includes(".") ? pod.slice(pod.lastIndexOf(".") + 1) : ""
}
