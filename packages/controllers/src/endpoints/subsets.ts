import { isPodReady } from "@pilothouse/api"
import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from "@pilothouse/api/core/v1"
import { addressesIn, type Family, familyOf, hasClusterIp } from "../service-endpoints/addresses.ts"
import { hasAddress, hostnameIn, isDeleted } from "../service-endpoints/endpoint-pods.ts"
import { targetPortsOf } from "../service-endpoints/target-port.ts"

/** One subset for each pod and port; repacking makes few of many. */
export function subsetsOf(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const notReadyToo = service.spec?.publishNotReadyAddresses === true
  return pods
    .filter((pod) => hasAddress(pod) && (notReadyToo || !isDeleted(pod)))
    .flatMap((pod) => {
      const address = addressOf(service, pod)
      if (address === undefined) return []
      const addresses = notReadyToo || isPodReady(pod) ? { addresses: [address] } : { notReadyAddresses: [address] }
      return portsOf(service, pod).map((ports) => ({ ...addresses, ports }))
    })
}

/** Each of the ports alone. A headless Service may have none, and its pods are listed all the same. */
function portsOf({ spec }: Service, pod: Pod): readonly (readonly EndpointPort[])[] {
  const ports = spec?.ports ?? []
  if (ports.length === 0) return spec?.clusterIP === "None" ? [[]] : []
  const targetPort = targetPortsOf(pod)
  return ports.flatMap((one) => {
    const port = targetPort(one)
    if (port === undefined) return []
    const { name, protocol = "TCP", appProtocol } = one
    return [[{ ...(name && { name }), port, protocol, ...(appProtocol !== undefined && { appProtocol }) }]]
  })
}

/** Undefined when the pod has no address in the Service's family: a node that is not dual stack yet. */
export function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const [ip] = addressesIn(firstFamily(service, pod), pod)
  if (ip === undefined) return undefined
  const { name, namespace, uid } = pod.metadata
  const hostname = hostnameIn(service, pod)
  const nodeName = pod.spec?.nodeName
  return {
    ip,
    ...(hostname !== undefined && { hostname }),
    ...(nodeName && { nodeName }),
    targetRef: { kind: "Pod", namespace, name, uid },
  }
}

/** Endpoints have one family, that of the Service's first address. */
function firstFamily({ spec }: Service, { status }: Pod): Family {
  const said = spec?.ipFamilies?.[0]
  if (said === "IPv4" || said === "IPv6") return said
  return familyOf((hasClusterIp({ spec }) ? spec?.clusterIP : status?.podIP) ?? "")
}
