import { podAddresses } from "../convert/endpoint.ts"
import { localityOf } from "../convert/locality.ts"
import { networkLabel } from "../networks/networks.ts"
import type { RegistryState } from "../state/state.ts"
import { type Proxy, podOfProxy } from "./proxy-instances.ts"

/** The labels of a proxy's pod, and where it runs as labels too, under the names that Istio's rules select by. None where its pod is not known. */
export function proxyLabels(state: RegistryState, proxy: Proxy): Readonly<Record<string, string>> {
  const pod = podOfProxy(state, proxy)
  if (pod === undefined) return {}
  const nodeName = pod.spec?.nodeName ?? ""
  const { region, zone, subzone } = localityOf(pod, state.watched.nodes.get(nodeName))
  const places = {
    "topology.kubernetes.io/region": region,
    "topology.kubernetes.io/zone": zone,
    "topology.istio.io/subzone": subzone,
    "topology.istio.io/cluster": state.conversion.cluster,
    "kubernetes.io/hostname": proxy.node || nodeName,
    // The pod's own label, where it has one, is what that answers with.
    [networkLabel]: state.networks.of(podAddresses(pod)[0] ?? "", pod),
  }
  return { ...pod.metadata.labels, ...Object.fromEntries(Object.entries(places).filter(([, value]) => value !== "")) }
}
