// The objects that both servers read, as a cluster's controllers would have written them.

export const namespace = "bench"
export const endpointsPerSlice = 100
const nodes = 4

/** A Service and the pods behind it. */
export interface Group {
  readonly name: string
  readonly endpoints: number
  /** Every pod has its own address; this is the number of the first. */
  readonly first: number
  /** Addresses that are written by hand: cheap where only the number of Services matters. */
  readonly withoutPods?: boolean
}

export function clusterName({ name }: Pick<Group, "name">): string {
  return `outbound|80||${name}.${namespace}.svc.cluster.local`
}

export function sliceName({ name }: Pick<Group, "name">, slice: number): string {
  return `${name}-${slice}`
}

export function nodeObjects(): readonly object[] {
  return Array.from({ length: nodes }, (_, index) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: nodeName(index),
      labels: { "topology.kubernetes.io/region": "region-1", "topology.kubernetes.io/zone": zoneOf(index) },
    },
  }))
}

export function serviceObject({ name }: Group): object {
  const ports = [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" }]
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec: { selector: { app: name }, ports } }
}

export function podNames({ name, endpoints, withoutPods = false }: Group): readonly string[] {
  return withoutPods ? [] : Array.from({ length: endpoints }, (_, index) => `${name}-${index}`)
}

export function podObject({ name }: Group, index: number): object {
  const spec = { nodeName: nodeName(index), containers: [{ name: "web", image: "web", ports: [{ containerPort: 8080 }] }] }
  return { apiVersion: "v1", kind: "Pod", metadata: { name: `${name}-${index}`, namespace, labels: { app: name } }, spec }
}

export function podStatus({ first }: Group, index: number): object {
  const ip = addressOf(first + index)
  return { status: { phase: "Running", podIP: ip, podIPs: [{ ip }], conditions: [{ type: "Ready", status: "True" }] } }
}

export function sliceObject(group: Group, slice: number): object {
  const begin = slice * endpointsPerSlice
  const count = Math.min(endpointsPerSlice, group.endpoints - begin)
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: sliceName(group, slice), namespace, labels: { "kubernetes.io/service-name": group.name } },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    endpoints: Array.from({ length: count }, (_, index) => endpointObject(group, begin + index)),
  }
}

export function endpointObject({ name, first, withoutPods = false }: Group, index: number): object {
  return {
    addresses: [addressOf(first + index)],
    conditions: { ready: true, serving: true, terminating: false },
    nodeName: nodeName(index),
    zone: zoneOf(index % nodes),
    ...(!withoutPods && { targetRef: { kind: "Pod", namespace, name: `${name}-${index}` } }),
  }
}

function nodeName(index: number): string {
  return `node-${index % nodes}`
}

function zoneOf(node: number): string {
  return `zone-${node % 2}`
}

function addressOf(number: number): string {
  return `10.${64 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`
}
