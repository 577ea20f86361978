import type { Service as KubeService } from "@pilothouse/api/core/v1"
import type { Endpoint } from "../../model/endpoint.ts"
import type { ServiceInstance } from "../../model/instance.ts"
import type { Service } from "../../model/service.ts"
import type { WorkloadInstance } from "../../model/workload-instance.ts"
import type { SourceJudgements } from "../convert/judge.ts"
import { nowhere } from "../convert/locality.ts"
import { identityOf } from "../convert/names.ts"
import type { RegistryState } from "../state/state.ts"
import { announce } from "./announce.ts"

type SpecPort = NonNullable<NonNullable<KubeService["spec"]>["ports"]>[number]

/** The name that workloads stand under among the slices of a service: no object can have it. */
export const workloadSource = (hostname: string) => `WorkloadInstances ${hostname}`

/** A workload that is no pod came, changed (its labels too) or went. */
export function applyWorkloadChange(state: RegistryState, key: string, instance: WorkloadInstance | undefined): void {
  const before = state.instances.get(key)
  if (instance === undefined) state.instances.remove(key)
  else state.instances.put(instance)
  const concerned = [before, instance].flatMap((one) => (one === undefined ? [] : state.services.selecting(one.namespace, one.labels)))
  for (const service of new Set(concerned)) putWorkloads(state, service)
}

/** Stores all workloads that a service selects, in one step. */
export function putWorkloads(state: RegistryState, service: Service): void {
  const endpoints = workloadsOf(state, service).map(({ endpoint }) => endpoint)
  const change = state.endpoints.put(service.hostname, workloadSource(service.hostname), endpoints)
  if (change !== undefined) announce(state, service, change)
}

/** Returns the workload instances that the service selects. */
export function workloadsOf(state: RegistryState, service: Service): readonly ServiceInstance[] {
  return state.instances.selectedBy(service).flatMap((instance) => instancesOfWorkload(state, service, instance))
}

/** For `explain`: why an endpoint is there. */
export function judgedWorkloads(state: RegistryState, service: Service): readonly SourceJudgements[] {
  return workloadsOf(state, service).map(({ endpoint }) => {
    const { addresses, portName, port, workload, namespace } = endpoint
    const reason = `the labels of the workload ${workload}, which is no pod, fit the selector`
    const judged = [{ address: addresses[0]!, portName, port, endpoint, reason }]
    return { source: `${namespace}/${workload}`, cluster: state.conversion.cluster, judged }
  })
}

/** One for each port of the service that the workload has; those of UDP are left out, as upstream does. */
export function instancesOfWorkload(state: RegistryState, service: Service, instance: WorkloadInstance): readonly ServiceInstance[] {
  const object = state.watched.services.get(`${service.namespace}/${service.name}`)
  return (object?.spec?.ports ?? []).flatMap((specPort, at) => {
    const servicePort = service.ports[at]
    const port = portOf(specPort, instance)
    if (servicePort === undefined || servicePort.protocol === "UDP" || port === undefined) return []
    return [{ service, servicePort, endpoint: endpointOf(state, instance, { port, portName: servicePort.name }) }]
  })
}

/** A name has to be one of the workload's ports; a number counts unless the workload has another for the port of that name. */
function portOf({ name = "", port, targetPort }: SpecPort, { ports = {} }: WorkloadInstance): number | undefined {
  if (typeof targetPort === "string" && targetPort !== "") return ports[targetPort]
  return ports[name] ?? (targetPort || port)
}

function endpointOf(state: RegistryState, instance: WorkloadInstance, at: Pick<Endpoint, "port" | "portName">): Endpoint {
  const { cluster, trustDomain } = state.conversion
  const { namespace, name, addresses, labels, account, locality = nowhere, network, weight = 1, health = "healthy" } = instance
  return {
    ...at,
    addresses,
    health,
    locality,
    network: network ?? state.networks.of(addresses[0] ?? "", undefined),
    cluster,
    weight,
    labels,
    identity: account === undefined ? "" : identityOf(namespace, account, trustDomain),
    namespace,
    workload: name,
  }
}
