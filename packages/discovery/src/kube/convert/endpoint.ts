import { controllerOf, deepEqual } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointHealth, Locality } from "../../model/endpoint.ts"
import { identityOf } from "./names.ts"
import type { ConversionOptions } from "./options.ts"
import { asItIs, type Share } from "./sharing.ts"

/** Everything that one endpoint is made of. */
export interface EndpointParts {
  readonly addresses: readonly string[]
  readonly port: number
  readonly portName: string
  readonly health: EndpointHealth
  readonly namespace: string
  readonly network: string
  readonly pod: Pod | undefined
  readonly locality: Locality
  /** The name of the node, where it is known without the Node. */
  readonly nodeName: string | undefined
  /** Endpoints of one service have most of their texts in common. */
  readonly share?: Share
}

/** Converts one endpoint of Kubernetes into one of the model. */
export function endpointOf(parts: EndpointParts, { cluster, trustDomain }: ConversionOptions): Endpoint {
  const { pod, locality, addresses, port, portName, health, network, share = asItIs } = parts
  const namespace = pod?.metadata.namespace ?? parts.namespace
  const nodeName = pod?.spec?.nodeName ?? parts.nodeName
  return {
    addresses,
    port,
    portName,
    health,
    locality: share("locality", locality),
    network,
    cluster,
    weight: 1,
    labels: pod?.metadata.labels ?? noLabels,
    identity: pod === undefined ? "" : share("identity", identityOf(namespace, pod.spec?.serviceAccountName || "default", trustDomain)),
    namespace,
    ...(pod === undefined ? {} : { pod: pod.metadata.name, workload: share("workload", workloadOf(pod)) }),
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

/** The name people know a pod's workload by: a ReplicaSet made by a Deployment is that Deployment. */
function workloadOf(pod: Pod): string {
  const owner = controllerOf(pod)
  if (owner === undefined) return pod.metadata.name ?? ""
  const hash = pod.metadata.labels?.["pod-template-hash"]
  const made = owner.kind === "ReplicaSet" && hash !== undefined && owner.name.endsWith(`-${hash}`)
  return made ? owner.name.slice(0, -hash.length - 1) : owner.name
}
