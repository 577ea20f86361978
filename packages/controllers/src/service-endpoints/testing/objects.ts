import type { Node, Pod, PodSpec, Service, ServiceSpec } from "@pilothouse/api/core/v1"
import type { Operation, Plan } from "@pilothouse/runtime"

/** Objects for the tests of the endpoints controllers. */

export const created = "2026-01-05T08:00:00Z"

export function webService(spec: Partial<ServiceSpec> = {}, metadata: Partial<Service["metadata"]> = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default", uid: "s-1", creationTimestamp: created, ...metadata },
    spec: {
      selector: { app: "web" },
      clusterIP: "10.96.0.10",
      ipFamilies: ["IPv4"],
      ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }],
      ...spec,
    },
  }
}

export interface PodFacts {
  readonly ips?: readonly string[]
  readonly node?: string
  readonly phase?: "Pending" | "Running" | "Unknown" | "Succeeded" | "Failed"
  readonly ready?: boolean
  readonly readySince?: string
  readonly deleting?: boolean
  readonly labels?: Readonly<Record<string, string>>
  readonly spec?: Partial<PodSpec>
}

/** Pod number n: web-n with the address 10.244.1.n, ready on node-1. */
export function webPod(number: number, facts: PodFacts = {}): Pod {
  const { phase = "Running", ready = true, readySince = "2026-01-05T08:30:00Z", node = "node-1" } = facts
  const ips = facts.ips ?? [`10.244.${1 + (number >> 8)}.${number & 255}`]
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `web-${number}`,
      namespace: "default",
      uid: `p-${number}`,
      resourceVersion: "7",
      labels: facts.labels ?? { app: "web" },
      ...(facts.deleting && { deletionTimestamp: "2026-01-05T08:59:00Z" }),
    },
    spec: { containers: [{ name: "web" }], nodeName: node, ...facts.spec },
    status: {
      phase,
      podIP: ips[0],
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: readySince }],
    },
  }
}

export function webPods(count: number, facts: PodFacts = {}): readonly Pod[] {
  return Array.from({ length: count }, (_, at) => webPod(at + 1, facts))
}

export function readyNode(name: string, zone?: string, cpu = "4"): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `n-${name}`, labels: zone === undefined ? {} : { "topology.kubernetes.io/zone": zone } },
    status: { allocatable: { cpu }, conditions: [{ type: "Ready", status: "True" }] },
  }
}

export function operationsOf(plan: Plan): readonly Operation[] {
  return plan.steps.flatMap((step) => step.operations)
}

/** Each object that a plan creates or updates. */
export function writesOf<T>(plan: Plan, ...kinds: readonly ("create" | "update")[]): readonly T[] {
  const wanted: readonly string[] = kinds.length === 0 ? ["create", "update"] : kinds
  return operationsOf(plan).flatMap((operation) => (wanted.includes(operation.do) && "object" in operation ? [operation.object as T] : []))
}
