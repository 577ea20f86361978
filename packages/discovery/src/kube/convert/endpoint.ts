import { deepEqual } from "@pilothouse/api"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointHealth } from "../../model/endpoint.ts"
import type { ConversionOptions } from "../options.ts"
import { localityOf } from "./locality.ts"
import { identityOf } from "./names.ts"
import { workloadOf } from "./workload.ts"

/** Everything that one endpoint is made of. */
export interface EndpointParts {
  readonly addresses: readonly string[]
  readonly port: number
  readonly portName: string
  readonly health: EndpointHealth
  readonly namespace: string
  readonly network: string
  readonly pod: Pod | undefined
  readonly node: Node | undefined
  /** The name of the node, where it is known without the Node. */
  readonly nodeName: string | undefined
}

export function endpointOf(parts: EndpointParts, { cluster, trustDomain }: ConversionOptions): Endpoint {
  const { pod, node, addresses, port, portName, health, network } = parts
  const namespace = pod?.metadata.namespace ?? parts.namespace
  const nodeName = pod?.spec?.nodeName ?? parts.nodeName
  return {
    addresses,
    port,
    portName,
    health,
    locality: localityOf(pod, node),
    network,
    cluster,
    weight: 1,
    labels: pod?.metadata.labels ?? noLabels,
    identity: pod === undefined ? "" : identityOf(namespace, pod.spec?.serviceAccountName || "default", trustDomain),
    namespace,
    ...(pod === undefined ? {} : { pod: pod.metadata.name, workload: workloadOf(pod) }),
    ...(nodeName === undefined ? {} : { node: nodeName }),
  }
}

const noLabels = Object.freeze({})

type TextField = { [Key in keyof Endpoint]-?: Endpoint[Key] extends string | number | undefined ? Key : never }[keyof Endpoint]

/** Every field of an Endpoint that is one value; `sameParts` has the others. */
const texts: readonly TextField[] = [
  "health",
  "port",
  "portName",
  "network",
  "cluster",
  "weight",
  "identity",
  "namespace",
  "pod",
  "workload",
  "node",
]

function sameParts(a: Endpoint, b: Endpoint): boolean {
  return deepEqual(a.addresses, b.addresses) && deepEqual(a.locality, b.locality) && deepEqual(a.labels, b.labels)
}

/** Compared by value; the fields that change most come first. */
export function sameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return texts.every((field) => a[field] === b[field]) && sameParts(a, b)
}

/** The addresses of a pod, its first one first. */
export function podAddresses(pod: Pod): readonly string[] {
  const all = [pod.status?.podIP ?? "", ...(pod.status?.podIPs ?? []).map(({ ip }) => ip)]
  return [...new Set(all.filter((address) => address !== ""))]
}
