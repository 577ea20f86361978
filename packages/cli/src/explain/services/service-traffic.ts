import { formatLabelSelector, isPodReady, isPodTerminating, selectorFromLabels } from "@pilothouse/api"
import { nodes, type Pod, pods, type Service, type ServicePort } from "@pilothouse/api/core/v1"
import { isSimulated } from "@pilothouse/nodes"
import type { Client } from "@pilothouse/runtime"
import { type ExplainContext, shownCommand } from "../explain-context.ts"
import { deadPortLines, hasSelector, livePorts, slicesOf } from "./service-ports.ts"

/** What becomes of a connection to a Service: who would take it, and by which way it can come. */
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
