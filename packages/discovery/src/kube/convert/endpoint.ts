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

/** Compared by value; the fields that change most come first. */
export function sameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return a.health === b.health && a.port === b.port && a.portName === b.portName && deepEqual(a, b)
}

/** The addresses of a pod, its first one first. */
export function podAddresses(pod: Pod): readonly string[] {
  const all = [pod.status?.podIP ?? "", ...(pod.status?.podIPs ?? []).map(({ ip }) => ip)]
  return [...new Set(all.filter((address) => address !== ""))]
}
