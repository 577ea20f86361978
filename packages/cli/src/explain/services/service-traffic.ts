import { formatLabelSelector, isPodReady, isPodTerminating, isSidecar, selectorFromLabels } from "@pilothouse/api"
import { nodes, type Pod, pods, type Service, type ServicePort } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import { isSimulated } from "@pilothouse/nodes"
import type { Client } from "@pilothouse/runtime"
import { type ExplainContext, shownCommand } from "../explain-context.ts"

/** Describes what becomes of a connection to a Service: who would take it, and by which way it can come. */
export async function trafficOf(client: Client, service: Service, asked: Omit<ExplainContext, "now"> = {}): Promise<readonly string[]> {
  if (service.spec?.type === "ExternalName") return [`clients are sent to ${service.spec.externalName}: nothing is forwarded`]
  const [matching, slices] = await Promise.all([podsOf(client, service), slicesOf(client, service)])
  const takers = [takersOf(service, matching, asked), ...deadPortLines(service, matching, slices)]
  const isEmbedded = handlers.every((name) => asked.controllers?.includes(name))
  if (isEmbedded || hasOpenStack(service)) {
    const { openStackWays } = await import("./service-traffic-openstack.ts")
    return [...takers, ...(await openStackWays(client, service, isEmbedded))]
  }
  return [...takers, ...((await hasOnlySimulatedNodes(client)) ? waysIn(service, livePorts(service, slices)) : [])]
}

/** Beside an API server they run in `up --openstack` only. */
const handlers = ["vif", "lbaasspec", "lb"]

/** A load balancer of an OpenStack is written down on it, by kuryr's handlers or by a cloud controller. */
function hasOpenStack({ metadata }: Service): boolean {
  return Object.keys(metadata.annotations ?? {}).some(
    (key) => key.startsWith("openstack.org/kuryr-lbaas-") || key === "loadbalancer.openstack.org/load-balancer-id",
  )
}

async function podsOf(client: Client, service: Service): Promise<readonly Pod[]> {
  if (!hasSelector(service)) return []
  const labelSelector = formatLabelSelector(selectorFromLabels(service.spec?.selector))
  return (await client.list(pods, { namespace: service.metadata.namespace, labelSelector })).items
}

function takersOf(service: Service, matching: readonly Pod[], { defaultNamespace }: Omit<ExplainContext, "now">): string {
  if (!hasSelector(service)) return "it has no selector: its creator makes its EndpointSlices too"
  const labels = formatLabelSelector(selectorFromLabels(service.spec?.selector))
  if (matching.length > 0) return `${amount(matching)} of ${matching.length} pods with ${labels} ready`
  const { namespace } = service.metadata
  const command = shownCommand("kubectl get pods --show-labels", namespace, defaultNamespace)
  return `its selector ${labels} matches no pod in ${namespace}, so that nothing answers; ${command} shows what labels there are`
}

function amount(found: readonly Pod[]): string {
  const ready = found.filter((pod) => isPodReady(pod) && !isPodTerminating(pod)).length
  return ready === 0 ? "none" : String(ready)
}

/** A cluster of `pilothouse up`: on others a proxy routes cluster IPs. */
async function hasOnlySimulatedNodes(client: Client): Promise<boolean> {
  const { items } = await client.list(nodes)
  return items.length > 0 && items.every(isSimulated)
}

const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges"

/** Which addresses are admitted, where not all are: the field counts, and the annotation where there is none. */
function letIn({ metadata, spec }: Service): readonly string[] {
  const given = spec?.loadBalancerSourceRanges ?? []
  const ranges = given.length > 0 ? given : (metadata.annotations?.[rangesAnnotation] ?? "").split(",")
  const named = ranges.map((range) => range.trim()).filter((range) => range !== "")
  return named.length === 0 ? [] : [`it lets in clients from ${named.join(", ")} alone: the connections of others are closed`]
}

function waysIn(service: Service, live: readonly ServicePort[]): readonly string[] {
  const { spec, status } = service
  const address = spec?.clusterIP === undefined || spec.clusterIP === "None" ? [] : [spec.clusterIP]
  const noProxy = address.map((ip) => `there is no kube-proxy here: its cluster IP ${ip} is not routed on this machine`)
  if (spec?.type !== "LoadBalancer") return [...noProxy, "a Service of type LoadBalancer gets an address that is reached from here"]
  const [ingress] = status?.loadBalancer?.ingress ?? []
  if (ingress?.ip === undefined) return [...noProxy, noAddress(spec.loadBalancerClass)]
  const idle = (spec.ports ?? []).filter((port) => !live.includes(port))
  return [...noProxy, ...balancerLine(ingress, live, toReady), ...balancerLine(ingress, idle, withoutEndpoint), ...letIn(service)]
}

/** The field cannot be changed once it is set, so that there is no shorter way out. */
function noAddress(itsClass: string | undefined): string {
  if (itsClass === undefined) return "its load balancer has no address yet"
  return `it gets no address: its class ${itsClass} asks for the balancer of another controller, which does not run here; create it again without loadBalancerClass`
}

const toReady = "goes straight to ready endpoints"
const withoutEndpoint = "has no ready endpoint to go to: it closes connections that come"

type Ingress = NonNullable<NonNullable<NonNullable<Service["status"]>["loadBalancer"]>["ingress"]>[number]

function balancerLine({ ip, ports }: Ingress, some: readonly ServicePort[], where: string): readonly string[] {
  if (some.length === 0) return []
  const open = some.map(({ port, protocol = "TCP" }) => {
    const mapped = (ports ?? []).find((one) => one.port === port && one.protocol === protocol)?.error?.match(/PortMappedTo(\d+)$/)?.[1]
    return `${ip}:${mapped ?? port}/${protocol}`
  })
  return [`its load balancer at ${open.join(", ")} ${where}`]
}

/** Where connections to a Service go: what its EndpointSlices say. */
async function slicesOf(client: Client, { metadata }: Service): Promise<readonly EndpointSlice[]> {
  const labelSelector = ownLabel(metadata.name)
  return (await client.list(endpointSlices, { namespace: metadata.namespace, labelSelector })).items
}

function ownLabel(name = ""): string {
  return `kubernetes.io/service-name=${name}`
}

/** Ports on which a ready endpoint takes connections. */
export function livePorts({ spec }: Service, slices: readonly EndpointSlice[]): readonly ServicePort[] {
  const ready = slices.filter(({ endpoints }) => (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false))
  return (spec?.ports ?? []).filter((port) => isIn(ready, port))
}

/** Ports of which no endpoint has anything, though there are some: most often a name that no container has given to a port. `matching` are the pods of its selector. */
export function deadPortLines(service: Service, matching: readonly Pod[], slices: readonly EndpointSlice[]): readonly string[] {
  const { metadata, spec } = service
  const dead = (spec?.ports ?? []).filter((port) => !isIn(slices, port))
  if (hasSelector(service)) {
    if (matching.length === 0) return []
    const who = `no pod with ${formatLabelSelector(selectorFromLabels(spec?.selector))}`
    return dead
      .filter((port) => isUnknownTo(matching, port))
      .map((port) => `${leadsNowhere(port)}: ${who} has ${wantedPort(port, matching)}`)
  }
  if (slices.length === 0) return [`nothing answers: no EndpointSlice has the label ${ownLabel(metadata.name)}`]
  return dead.map((port) => `${leadsNowhere(port)}: no EndpointSlice with ${ownLabel(metadata.name)} has a port ${nameIn(port)}`)
}

function hasSelector({ spec }: Service): boolean {
  return Object.keys(spec?.selector ?? {}).length > 0
}

function leadsNowhere({ port }: ServicePort): string {
  return `port ${port} leads nowhere`
}

/** How EndpointSlices name it: as the Service does, and the one port that needs no name by none. */
function nameIn({ name = "", protocol = "TCP" }: ServicePort): string {
  return name === "" ? `for ${protocol} without a name` : `for ${protocol} named "${name}"`
}

function isIn(slices: readonly EndpointSlice[], { name = "", protocol = "TCP" }: ServicePort): boolean {
  return slices.some(({ ports }) => (ports ?? []).some((one) => (one.name ?? "") === name && (one.protocol ?? "TCP") === protocol))
}

/** A number is sent to whether a pod declares it or not; a name has to be found. */
function isUnknownTo(matching: readonly Pod[], { targetPort, protocol = "TCP" }: ServicePort): boolean {
  if (typeof targetPort !== "string") return false
  return !named(matching, targetPort).some((one) => (one.protocol ?? "TCP") === protocol)
}

/** With its protocol where that is what is wrong. */
function wantedPort({ targetPort, protocol = "TCP" }: ServicePort, matching: readonly Pod[]): string {
  const isOfAnother = typeof targetPort === "string" && named(matching, targetPort).length > 0
  return `a port ${isOfAnother ? `for ${protocol} ` : ""}named "${targetPort}"`
}

function named(matching: readonly Pod[], name: string) {
  const containers = matching.flatMap(({ spec }) => [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)])
  return containers.flatMap(({ ports }) => (ports ?? []).filter((one) => one.name === name))
}
