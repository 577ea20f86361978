import type { LabelSelector } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import type { Clock, Duration, Log, Metrics, Random } from "@pilothouse/seams"
import type { ResolveName } from "../networks/followed-name.ts"
import type { MeshNetworksSource } from "../networks/mesh-networks.ts"

/** What a registry of one cluster is made with; the first five are those of Pilot's ControllerOptions. */
export interface KubeRegistryOptions {
  readonly client: Pick<Client, "list" | "watch">
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics?: Metrics
  /** Namespaces to watch; by default all. */
  readonly namespaces?: readonly string[]
  /** How often everything is handled again without an event; by default never. */
  readonly resync?: Duration
  /** By default "cluster.local". */
  readonly domainSuffix?: string
  /** By default "Kubernetes". */
  readonly cluster?: string
  /** By default "cluster.local". */
  readonly trustDomain?: string
  /** The network of endpoints whose network is not known otherwise; by default "". */
  readonly network?: string
  /** Only namespaces whose labels match one of these; by default, or where there is none, all. */
  readonly discoverySelectors?: readonly LabelSelector[]
  /** Namespaces whose Services are hidden. Pilot's registry of 2019 left out kube-system; by default none. */
  readonly leaveOut?: readonly string[]
  /** Where mesh settings are: its label topology.istio.io/network names the network of the cluster. By default "istio-system". */
  readonly systemNamespace?: string
  /** Where endpoints are read from: by default "slices". */
  readonly endpoints?: "slices" | "endpoints"
  /** Which pods are known by their address: those that wait or run, or only those that are ready. By default "active". */
  readonly pods?: "active" | "ready"
  /** "instances": an ExternalName has one endpoint per port, with the name as its address. "alias": it is another name of its target and has none. */
  readonly externalNames?: "instances" | "alias"
  /** What a TCP port without a known name or appProtocol speaks: "unsupported" lets proxies look at the bytes; "TCP" is Pilot's rule of 2019. */
  readonly unnamedPorts?: "unsupported" | "TCP"
  /** Networks of the mesh in Istio's format, followed live. */
  readonly meshNetworks?: MeshNetworksSource
  /** Asks for the addresses of gateways that are known by a name; without it they are left out. */
  readonly resolve?: ResolveName
  /** After this the registry counts as synced even if its cluster does not answer: one lost cluster must not hold up the others. By default never. */
  readonly syncTimeout?: Duration
}

/** Options that conversions need, with their defaults filled in. */
export interface ConversionOptions {
  readonly domainSuffix: string
  readonly cluster: string
  readonly trustDomain: string
  readonly network: string
  readonly pods: "active" | "ready"
  readonly externalNames: "instances" | "alias"
  readonly unnamedPorts: "unsupported" | "TCP"
}

/** Returns the options of conversions with their defaults. */
export function conversionOptions(options: Partial<KubeRegistryOptions> = {}): ConversionOptions {
  const { domainSuffix = "cluster.local", cluster = "Kubernetes", trustDomain = "cluster.local", network = "" } = options
  const { pods = "active", externalNames = "instances", unnamedPorts = "unsupported" } = options
  return { domainSuffix, cluster, trustDomain, network, pods, externalNames, unnamedPorts }
}
