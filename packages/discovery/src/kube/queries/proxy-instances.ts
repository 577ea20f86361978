import { isSidecar, keyOf, splitKey } from "@pilothouse/api"
import type { Service as KubeService, Pod } from "@pilothouse/api/core/v1"
import type { Endpoint } from "../../model/endpoint.ts"
import type { ServiceInstance } from "../../model/instance.ts"
import type { Service } from "../../model/service.ts"
import type { WorkloadInstance } from "../../model/workload-instance.ts"
import { endpointOf, podAddresses } from "../convert/endpoint.ts"
import { judge } from "../convert/judge.ts"
import { localityOf, nowhere } from "../convert/locality.ts"
import { hostnameOf } from "../convert/names.ts"
import { instancesOfWorkload } from "../handlers/workload.ts"
import type { RegistryState } from "../state/state.ts"

/** A proxy whose services are looked up. */
export interface Proxy {
  readonly addresses: readonly string[]
  /** "pod.namespace", as Istio's proxies name themselves. */
  readonly id?: string
  readonly namespace?: string
  /** What it says its labels are: used while its pod has not been seen. */
  readonly labels?: Readonly<Record<string, string>>
  /** Its cluster; only the registry of that cluster answers. */
  readonly cluster?: string
  /** The node that it says it runs on. */
  readonly node?: string
}

/**
 * Finds the service instances of a proxy: by the workload that has its address and is no pod; else by its pod and the services that select it; else
 * by the endpoints that have its address; else by what it says of itself. Its own namespace comes first.
 */
export function proxyServiceInstances(state: RegistryState, proxy: Proxy): readonly ServiceInstance[] {
  const found = instancesOf(state, proxy)
  if (found.length === 0) state.metrics.proxyWithoutService()
  else if (found.every(({ endpoint }) => endpoint.health !== "healthy")) state.metrics.proxyNotReady()
  const own = podOfProxy(state, proxy)?.metadata.namespace ?? proxy.namespace
  const rank = ({ service }: ServiceInstance) => (service.namespace === own ? 0 : 1)
  return [...found].sort((a, b) => rank(a) - rank(b))
}

function instancesOf(state: RegistryState, proxy: Proxy): readonly ServiceInstance[] {
  const workload = workloadOfProxy(state, proxy)
  if (workload !== undefined) {
    const services = state.services.selecting(workload.namespace, workload.labels).filter(({ resolution }) => resolution === "client-side")
    return services.flatMap((service) => instancesOfWorkload(state, service, workload))
  }
  const pod = podOfProxy(state, proxy)
  const selected = pod === undefined ? [] : bySelector(state, pod)
  if (selected.length > 0) return selected
  const listed = proxy.addresses.flatMap((address) => byAddress(state, address))
  if (listed.length > 0 || pod !== undefined) return listed
  return byLabels(state, proxy)
}

/** Of those at its first address: the one with its name, else one of its namespace, else the first by name. */
function workloadOfProxy(state: RegistryState, { id = "", addresses, namespace }: Proxy): WorkloadInstance | undefined {
  const there = state.instances.at(addresses[0] ?? "")
  return (
    there.find((one) => `${one.name}.${one.namespace}` === id && one.namespace === namespace) ??
    there.find((one) => one.namespace === namespace) ??
    there[0]
  )
}

/** Finds the pod of a proxy by the name in its node ID, else by its addresses. */
export function podOfProxy(state: RegistryState, { id = "", addresses, namespace }: Proxy): Pod | undefined {
  // A pod's name may have dots, a namespace may not.
  const dot = id.lastIndexOf(".")
  const named = dot < 0 ? undefined : state.watched.pods.get(`${id.slice(dot + 1)}/${id.slice(0, dot)}`)
  if (named !== undefined) return named
  const keys = addresses.flatMap((address) => state.podCache.at(address))
  const key = keys.find((one) => namespace !== undefined && one.startsWith(`${namespace}/`)) ?? keys[0]
  return key === undefined ? undefined : state.watched.pods.get(key)
}

function bySelector(state: RegistryState, pod: Pod): readonly ServiceInstance[] {
  const { namespace = "", labels } = pod.metadata
  return state.services.selecting(namespace, labels).flatMap((service) => instancesFor(state, service, pod))
}

/** One for each target port and protocol, in the order of the spec. */
function instancesFor(state: RegistryState, service: Service, pod: Pod): readonly ServiceInstance[] {
  const object = state.watched.services.get(`${service.namespace}/${service.name}`)
  const addresses = podAddresses(pod)
  const nodeName = pod.spec?.nodeName
  const node = nodeName === undefined ? undefined : state.watched.nodes.get(nodeName)
  const network = state.networks.of(addresses[0] ?? "", pod)
  const locality = localityOf(pod, node)
  const around = { addresses, health: "healthy", namespace: service.namespace, network, pod, locality, nodeName } as const
  const sent = endpointsAt(state, service, addresses)
  return targetsOf(object, service, pod).map(({ port, servicePort }) => {
    const known = sent.find((one) => one.port === port && one.portName === servicePort.name)
    return { service, servicePort, endpoint: known ?? endpointOf({ ...around, port, portName: servicePort.name }, state.conversion) }
  })
}

/** Those of a service at some addresses: only the slices that have them are read, and not the service's ten thousand endpoints. */
function endpointsAt(state: RegistryState, { hostname }: Service, addresses: readonly string[]): readonly Endpoint[] {
  const slices = new Set(addresses.flatMap((address) => state.sources.atAddress(address)))
  const all = [...slices].flatMap((slice) => state.endpoints.inSlice(hostname, slice))
  return all.filter((endpoint) => addresses.includes(endpoint.addresses[0] ?? ""))
}

function targetsOf(object: KubeService | undefined, service: Service, pod: Pod | undefined) {
  const seen = new Set<string>()
  return (object?.spec?.ports ?? []).flatMap((specPort, at) => {
    const servicePort = service.ports[at]
    const port = targetPortOf(specPort, pod)
    const place = `${port} ${servicePort?.protocol}`
    if (port === undefined || servicePort === undefined || seen.has(place)) return []
    seen.add(place)
    return [{ port, servicePort }]
  })
}

/** Ready or not: a proxy requires its services before it is. */
function byAddress(state: RegistryState, address: string): readonly ServiceInstance[] {
  return state.sources.atAddress(address).flatMap((key) => {
    const source = state.sources.get(key)
    const service = source?.service && state.services.get(hostnameOf(splitKey(source.service), state.conversion.domainSuffix))
    if (source === undefined || !service) return []
    return judge(source, state.surroundings(service)).flatMap(({ endpoint }) => {
      const servicePort = service.ports.find(({ name }) => endpoint?.portName === "" || name === endpoint?.portName)
      return endpoint?.addresses.includes(address) && servicePort !== undefined ? [{ service, servicePort, endpoint }] : []
    })
  })
}

function byLabels(state: RegistryState, { namespace = "", labels, addresses }: Proxy): readonly ServiceInstance[] {
  if (labels === undefined) return []
  const network = state.networks.of(addresses[0] ?? "", undefined)
  const around = { addresses, health: "healthy", namespace, network, pod: undefined, locality: nowhere, nodeName: undefined } as const
  return state.services.selecting(namespace, labels).flatMap((service) => {
    const object = state.watched.services.get(keyOf({ metadata: service }))
    return targetsOf(object, service, undefined).map(({ port, servicePort }) => ({
      service,
      servicePort,
      endpoint: { ...endpointOf({ ...around, port, portName: servicePort.name }, state.conversion), labels },
    }))
  })
}

type Port = NonNullable<NonNullable<KubeService["spec"]>["ports"]>[number]

/**
 * The port of a pod that a service port leads to: a number, or a name that one of its containers gives; sidecars that start first count too.
 * Undefined: no container has it.
 */
function targetPortOf({ port, targetPort, protocol = "TCP" }: Port, pod: Pod | undefined): number | undefined {
  if (targetPort === undefined || targetPort === 0 || targetPort === "") return port
  if (typeof targetPort === "number") return targetPort
  const sidecars = (pod?.spec?.initContainers ?? []).filter((container) => isSidecar(container))
  const containers = [...(pod?.spec?.containers ?? []), ...sidecars]
  return containers.flatMap(({ ports = [] }) => ports).find((named) => named.name === targetPort && (named.protocol ?? "TCP") === protocol)
    ?.containerPort
}
