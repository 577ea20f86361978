import { type EndpointPort, type Endpoints, endpoints, type Pod, pods, type Service } from "@pilothouse/api/core/v1"
import type { Cluster } from "@pilothouse/testing"
import type { OpenStack } from "../../clients/cloud.ts"
import type { Port } from "../../clients/neutron/types.ts"
import { isOfCluster } from "../../drivers/creation/cluster-marks.ts"
import { decodeState, decodeVif } from "../../versioned-objects/annotations.ts"
import type { LBaaSState, Vif } from "../../versioned-objects/objects.ts"
import { stateAnnotation, vifAnnotation } from "../annotations.ts"

/** What a row of the handlers' contract asks for. */
export interface HandlersSetup {
  /** Sections of kuryr.conf beside what the cloud needs. */
  readonly sections?: Readonly<Record<string, Readonly<Record<string, string | number>>>>
  readonly source?: "endpoints" | "endpointslices"
}

/** A call that the handlers made to the cloud. */
export interface CloudCall {
  readonly verb: string
  readonly path: string
}

/**
 * A cluster whose handlers run against some cloud, the embedded one or a real one. Only what is in the namespace "served" is theirs. It has the nodes
 * node1 and node2; node1 has the address 192.168.0.10, and in the cloud a port with a trunk. Disposing of it takes what is left in the cloud away.
 */
export interface HandlersSubject extends AsyncDisposable {
  readonly cluster: Pick<Cluster, "apply" | "client" | "list" | "restartControllers">
  /** For looking at the cloud, and for doing things behind the handlers' back. */
  readonly cloud: OpenStack
  /** What the handlers call this cluster. */
  readonly clusterMarks: { readonly cluster: string }
  readonly project: string
  readonly serviceSubnet: string
  /** Lets time pass until it is so. */
  until(condition: () => Promise<boolean>): Promise<void>
  pass(milliseconds: number): Promise<void>
  /** Of the handlers, not of those who look. */
  calls(): readonly CloudCall[]
}

export type MakeHandlers = (setup?: HandlersSetup) => Promise<HandlersSubject>

export const served = "served"

export function podIn(name: string, spec: Partial<Pod["spec"]> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: served, labels: { app: "web" } },
    spec: { nodeName: "node1", containers: [{ name: "main", image: "web" }], ...spec },
  }
}

export function serviceIn(name: string, spec: Partial<Service["spec"]> = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: served },
    spec: { ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }], ...spec },
  }
}

/** Endpoints of a Service without selector: this many pods, each with all of these ports. */
export function endpointsIn(name: string, count: number, ports: readonly EndpointPort[]): Endpoints {
  const addresses = Array.from({ length: count }, (_, at) => ({
    ip: `10.10.200.${at + 1}`,
    targetRef: { kind: "Pod", namespace: served, name: `${name}-${at}` },
  }))
  const subsets = count === 0 ? [] : [{ addresses, ports: ports.map((port) => ({ protocol: "TCP" as const, ...port })) }]
  return { apiVersion: "v1", kind: "Endpoints", metadata: { name, namespace: served }, subsets }
}

export async function vifOn({ cluster }: HandlersSubject, name: string): Promise<Vif | undefined> {
  const text = (await cluster.client.get(pods, `${served}/${name}`)).metadata.annotations?.[vifAnnotation]
  return text === undefined ? undefined : decodeVif(text)
}

export function untilActive(subject: HandlersSubject, name: string): Promise<void> {
  return subject.until(async () => (await vifOn(subject, name))?.active === true)
}

/** The ports of pods and spare ones that the cloud has for this cluster. */
export async function listPorts({
  cloud,
  clusterMarks,
  project,
}: Pick<HandlersSubject, "cloud" | "clusterMarks" | "project">): Promise<readonly Port[]> {
  return (await cloud.neutron.ports.list({ project_id: project })).filter((port) => isOfCluster(port, clusterMarks))
}

export async function stateOn({ cluster }: HandlersSubject, name: string): Promise<LBaaSState | undefined> {
  const [found] = (await cluster.list(endpoints, { namespace: served, fieldSelector: `metadata.name=${name}` })).values()
  const text = found?.metadata.annotations?.[stateAnnotation]
  return text === undefined ? undefined : decodeState(text)
}

/** Until so many members are written down. */
export function untilMembers(subject: HandlersSubject, name: string, count: number): Promise<void> {
  return subject.until(async () => (await stateOn(subject, name))?.members.length === count)
}

export async function removePod({ cluster }: HandlersSubject, name: string): Promise<void> {
  await cluster.client.delete(pods, `${served}/${name}`, { gracePeriodSeconds: 0 })
}

/** Changes of the cloud among the calls: "POST /v2.0/ports". */
export function changes(subject: HandlersSubject, prefix: string): readonly string[] {
  return subject
    .calls()
    .filter(({ verb, path }) => verb !== "GET" && path.startsWith(prefix))
    .map(({ verb, path }) => `${verb} ${path.split("?")[0]}`)
}
