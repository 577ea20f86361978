import { formatLabelSelector, isPodReady, isPodTerminal, isPodTerminating, matchesLabels, selectorFromLabels } from "@pilothouse/api"
import { pods, type Service } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import type { ClusterView } from "./cluster-view.ts"
import { commonTrouble } from "./pod-trouble.ts"
import { degraded, healthy, progressing, type Verdict } from "./verdict.ts"

/** Whether connections to a Service are answered, and whether its load balancer has an address. */
export function serviceVerdict(service: Service, view: ClusterView): Verdict {
  const { spec } = service
  if (spec?.type === "ExternalName") return healthy(`a name for ${spec.externalName}`)
  const answers = Object.keys(spec?.selector ?? {}).length > 0 ? selectedPods(service, view) : writtenEndpoints(service, view)
  const hasAddress = (service.status?.loadBalancer?.ingress ?? []).length > 0
  return answers.health !== "healthy" || spec?.type !== "LoadBalancer" || hasAddress ? answers : withoutAddress(service, view)
}

function withoutAddress(service: Service, view: ClusterView): Verdict {
  const { spec, metadata } = service
  const refused = view.warning(service, "SyncLoadBalancerFailed", "UpdateLoadBalancerFailed")?.message
  if (refused !== undefined) return degraded(`its load balancer has no address: ${refused}`)
  if (!spec?.loadBalancerClass) return progressing("its load balancer has no address yet")
  return degraded(
    `its load balancer has no address: its class ${spec.loadBalancerClass} asks for a controller of its own`,
    `create ${metadata.name} again without loadBalancerClass, or run the controller of that class`,
  )
}

function selectedPods({ spec, metadata }: Service, view: ClusterView): Verdict {
  const selector = selectorFromLabels(spec?.selector)
  const labels = formatLabelSelector(selector)
  const inNamespace = view.list(pods).filter((pod) => pod.metadata.namespace === metadata.namespace)
  const found = inNamespace.filter((pod) => matchesLabels(selector, pod.metadata.labels) && !isPodTerminal(pod) && !isPodTerminating(pod))
  if (found.length === 0)
    return degraded(
      `nothing answers: its selector ${labels} matches no pod in ${metadata.namespace}`,
      `"kubectl get pods -n ${metadata.namespace} --show-labels" shows which labels there are`,
    )
  const ready = found.filter((pod) => isPodReady(pod)).length
  if (ready > 0 || spec?.publishNotReadyAddresses) return healthy(`${ready} of ${found.length} pods with ${labels} answer`)
  const trouble = commonTrouble(found, view)
  if (trouble?.health === "degraded") return { ...trouble, summary: `nothing answers: ${trouble.summary}` }
  return progressing(`nothing answers yet${trouble === undefined ? "" : `: ${trouble.summary}`}`)
}

/** Of a Service without a selector: its creator writes its endpoints. */
function writtenEndpoints({ metadata }: Service, view: ClusterView): Verdict {
  const label = "kubernetes.io/service-name"
  const slices = view
    .list(endpointSlices)
    .filter((slice) => slice.metadata.namespace === metadata.namespace && slice.metadata.labels?.[label] === metadata.name)
  const ready = slices.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false).length
  if (ready > 0) return healthy(`${ready} endpoints that were written by hand answer`)
  return degraded(
    "nothing answers: it has no selector, and no EndpointSlice or Endpoints was written for it",
    `give it a selector, or write an EndpointSlice with the label ${label}=${metadata.name}`,
  )
}
