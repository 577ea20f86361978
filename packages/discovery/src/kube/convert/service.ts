import { parseTime } from "@pilothouse/api"
import type { Service as KubeService, Namespace } from "@pilothouse/api/core/v1"
import type { Resolution, Service, ServicePort, TrafficDistribution } from "../../model/service.ts"
import { commaList, hostnameOf, identityOf } from "./names.ts"
import type { ConversionOptions } from "./options.ts"
import { protocolOf } from "./protocol.ts"

const kubeAccounts = "alpha.istio.io/kubernetes-serviceaccounts"

const canonicalAccounts = "alpha.istio.io/canonical-serviceaccounts"

const exportTo = "networking.istio.io/exportTo"

/** A Service as clients see it. */
export function convertService(service: KubeService, namespace: Namespace | undefined, options: ConversionOptions): Service {
  const { metadata, spec = {} } = service
  const addresses = virtualAddresses(service)
  const exported = commaList(metadata.annotations?.[exportTo])
  return {
    hostname: hostnameOf(metadata, options.domainSuffix),
    name: metadata.name ?? "",
    namespace: metadata.namespace ?? "",
    addresses: addresses.length === 0 ? {} : { [options.cluster]: addresses },
    ports: (spec.ports ?? []).map((port) => portOf(port, options)),
    resolution: resolutionOf(service, addresses),
    ...namesOf(service, options),
    ...outsideOf(service),
    labels: metadata.labels ?? {},
    selector: hasSelector(service) ? spec.selector : undefined,
    exportTo: exported.length === 0 ? ["*"] : exported,
    accounts: accountsOf(service, options),
    publishNotReady: spec.publishNotReadyAddresses === true,
    nodeLocal: spec.internalTrafficPolicy === "Local",
    distribution: distributionOf(service, namespace),
    created: metadata.creationTimestamp === undefined ? 0 : parseTime(metadata.creationTimestamp),
  }
}

const distributionAnnotation = "networking.istio.io/traffic-distribution"

const known: Readonly<Record<string, TrafficDistribution>> = {
  preferclose: "same-zone",
  prefersamezone: "same-zone",
  prefersamenode: "same-node",
}

/** What the Service's spec says, else its annotation, else that of its namespace. An unknown word is "any". */
function distributionOf(service: KubeService, namespace: Namespace | undefined): TrafficDistribution {
  const said =
    service.spec?.trafficDistribution ??
    service.metadata.annotations?.[distributionAnnotation] ??
    namespace?.metadata.annotations?.[distributionAnnotation]
  const word = (said ?? "").toLowerCase()
  return Object.hasOwn(known, word) ? known[word]! : "any"
}

function namesOf({ spec }: KubeService, { externalNames }: ConversionOptions): Pick<Service, "externalName" | "aliasOf"> {
  const name = spec?.type === "ExternalName" ? spec.externalName : undefined
  if (name === undefined) return {}
  // With a dot at its end, as it may be written, it is the same name to the DNS.
  return externalNames === "alias" ? { externalName: name, aliasOf: name.replace(/\.$/, "") } : { externalName: name }
}

/** Two families: each pod is one endpoint with two addresses. */
export function isDualStack({ spec }: KubeService): boolean {
  return (spec?.clusterIPs?.length ?? 0) > 1 || (spec?.ipFamilies?.length ?? 0) > 1
}

function hasSelector({ spec }: KubeService): boolean {
  return spec?.type !== "ExternalName" && Object.keys(spec?.selector ?? {}).length > 0
}

function portOf(port: NonNullable<NonNullable<KubeService["spec"]>["ports"]>[number], options: ConversionOptions): ServicePort {
  return { name: port.name ?? "", port: port.port, protocol: protocolOf(port, options.unnamedPorts) }
}

function virtualAddresses({ spec }: KubeService): readonly string[] {
  if (spec?.type === "ExternalName") return []
  const all = spec?.clusterIPs?.length ? spec.clusterIPs : [spec?.clusterIP ?? ""]
  return all.filter((address) => address !== "" && address !== "None")
}

function outsideOf({ spec, status }: KubeService): Pick<Service, "externalAddresses"> {
  const balanced = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip ?? hostname ?? [])
  const all = new Set([...(spec?.externalIPs ?? []), ...balanced])
  return all.size === 0 ? {} : { externalAddresses: [...all] }
}

function resolutionOf({ spec }: KubeService, addresses: readonly string[]): Resolution {
  if (spec?.type === "ExternalName") return "dns"
  return addresses.length > 0 ? "client-side" : "passthrough"
}

function accountsOf({ metadata }: KubeService, { trustDomain }: ConversionOptions): readonly string[] {
  const own = commaList(metadata.annotations?.[kubeAccounts])
  const others = commaList(metadata.annotations?.[canonicalAccounts])
  const all = [...own.map((account) => identityOf(metadata.namespace ?? "", account, trustDomain)), ...others]
  return [...new Set(all)].sort()
}
