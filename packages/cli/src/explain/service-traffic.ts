import { formatLabelSelector, isPodReady, isPodTerminating, selectorFromLabels } from "@pilothouse/api"
import { nodes, type Pod, pods, type Service } from "@pilothouse/api/core/v1"
import { isSimulated } from "@pilothouse/nodes"
import type { Client } from "@pilothouse/runtime"

/** What becomes of a connection to a Service: who would take it, and by which way it can come. */
export async function trafficOf(client: Client, service: Service): Promise<readonly string[]> {
  if (service.spec?.type === "ExternalName") return [`clients are sent to ${service.spec.externalName}: nothing is forwarded`]
  const [takers, isOurs] = await Promise.all([takersOf(client, service), hasOnlySimulatedNodes(client)])
  return [takers, ...(isOurs ? waysIn(service) : [])]
}

async function takersOf(client: Client, { metadata, spec }: Service): Promise<string> {
  if (spec?.selector === undefined || Object.keys(spec.selector).length === 0)
    return "it has no selector: whoever made it makes its EndpointSlices too"
  const labelSelector = formatLabelSelector(selectorFromLabels(spec.selector))
  const { items } = await client.list(pods, { namespace: metadata.namespace, labelSelector })
  if (items.length > 0) return `${amount(items)} of ${items.length} pods with ${labelSelector} ready`
  return `its selector ${labelSelector} matches no pod in ${metadata.namespace}, so that nobody answers; "kubectl get pods --show-labels" shows what labels there are`
}

function amount(found: readonly Pod[]): string {
  const ready = found.filter((pod) => isPodReady(pod) && !isPodTerminating(pod)).length
  return ready === 0 ? "none" : String(ready)
}

/** A cluster of `pilothouse up`: on others somebody routes cluster IPs. */
async function hasOnlySimulatedNodes(client: Client): Promise<boolean> {
  const { items } = await client.list(nodes)
  return items.length > 0 && items.every(isSimulated)
}

function waysIn({ spec, status }: Service): readonly string[] {
  const address = spec?.clusterIP === undefined || spec.clusterIP === "None" ? [] : [spec.clusterIP]
  const noProxy = address.map((ip) => `there is no kube-proxy here: its cluster IP ${ip} is not routed on this machine`)
  if (spec?.type !== "LoadBalancer") return [...noProxy, "a Service of type LoadBalancer gets an address that is reached from here"]
  const [{ ip, ports = [] } = {}] = status?.loadBalancer?.ingress ?? []
  if (ip === undefined) return [...noProxy, "its load balancer has no address yet"]
  const open = (spec.ports ?? []).map(({ port, protocol = "TCP" }) => {
    const mapped = ports.find((one) => one.port === port && one.protocol === protocol)?.error?.match(/PortMappedTo(\d+)$/)?.[1]
    return `${ip}:${mapped ?? port}/${protocol}`
  })
  return [...noProxy, `its load balancer at ${open.join(", ")} goes straight to ready endpoints`]
}
