import type { Endpoints, Namespace, Node, Pod, Service } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"

/** "shop/web": the object web of the namespace shop. */
type Key = string

type Meta = Service["metadata"]
type Labels = Readonly<Record<string, string>>

function meta(key: Key, more: Partial<Meta> = {}): Meta {
  const [namespace, name] = key.split("/")
  return name === undefined ? { name: namespace, ...more } : { namespace, name, ...more }
}

/** Returns a Service. */
export function kubeService(key: Key, spec: NonNullable<Service["spec"]> = {}, more: Partial<Meta> = {}): Service {
  const name = key.split("/")[1]!
  const ports = [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" as const }]
  const defaults = { type: "ClusterIP" as const, clusterIP: "10.96.0.10", selector: { app: name }, ports }
  return { apiVersion: "v1", kind: "Service", metadata: meta(key, more), spec: { ...defaults, ...spec } }
}

/** What differs from a plain running pod. */
export interface PodShape {
  readonly ip?: string
  readonly ips?: readonly string[]
  readonly labels?: Labels
  readonly annotations?: Labels
  readonly phase?: "Pending" | "Running" | "Failed" | "Succeeded"
  readonly ready?: boolean
  readonly node?: string
  readonly account?: string
  readonly spec?: Partial<NonNullable<Pod["spec"]>>
  readonly deleted?: boolean
  readonly uid?: string
  readonly owner?: { readonly kind: string; readonly name: string }
}

/** Returns a running pod. */
export function kubePod(key: Key, shape: PodShape = {}): Pod {
  const { ip = "10.0.0.1", labels, annotations, phase = "Running", ready = true, node = "node-1", account = "default", uid, owner } = shape
  const ips = shape.ips ?? (ip === "" ? [] : [ip])
  const owners = owner && [{ apiVersion: "apps/v1", ...owner, uid: `uid of ${owner.name}`, controller: true }]
  const deletionTimestamp = shape.deleted ? "2026-01-05T09:00:00Z" : undefined
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: meta(key, { labels, annotations, uid, ownerReferences: owners, deletionTimestamp }),
    spec: { containers: [{ name: "main" }], nodeName: node, serviceAccountName: account, ...shape.spec },
    status: {
      phase,
      podIP: ips[0],
      podIPs: ips.map((one) => ({ ip: one })),
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  }
}

/** One endpoint of a slice. */
export interface EndpointShape {
  readonly ip: string
  /** The pod's name, in the slice's namespace. */
  readonly pod?: string
  readonly ready?: boolean
  readonly serving?: boolean
  readonly terminating?: boolean
  readonly node?: string
}

/** What differs from an empty slice. */
export interface SliceShape {
  readonly service?: string
  readonly endpoints?: readonly EndpointShape[]
  readonly ports?: EndpointSlice["ports"]
  readonly addressType?: EndpointSlice["addressType"]
  readonly labels?: Labels
}

/** Returns an EndpointSlice. */
export function kubeSlice(key: Key, shape: SliceShape = {}): EndpointSlice {
  const { service = key.split("/")[1]!.replace(/-\d+$/, ""), endpoints = [], addressType = "IPv4", labels } = shape
  const [namespace] = key.split("/")
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: meta(key, { labels: labels ?? { "kubernetes.io/service-name": service } }),
    addressType,
    ports: shape.ports ?? [{ name: "http", port: 8080, protocol: "TCP" }],
    endpoints: endpoints.map(({ ip, pod, ready, serving, terminating, node }) => ({
      addresses: [ip],
      conditions: { ready, serving, terminating },
      nodeName: node,
      targetRef: pod === undefined ? undefined : { kind: "Pod", namespace, name: pod },
    })),
  }
}

/** Returns Endpoints. */
export function kubeEndpoints(key: Key, subsets: NonNullable<Endpoints["subsets"]>): Endpoints {
  return { apiVersion: "v1", kind: "Endpoints", metadata: meta(key), subsets }
}

/** Returns a Node. */
export function kubeNode(name: string, labels: Labels = {}): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels } }
}

/** Returns a Namespace. */
export function kubeNamespace(name: string, labels: Labels = {}, annotations: Labels = {}): Namespace {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels, annotations } }
}
