import type { Service, ServicePort } from "@pilothouse/api/core/v1"
import { labelsText, none, or } from "../columns/cells.ts"
import { ageColumn, nameColumn, text, wide } from "../columns/column.ts"
import { printer } from "../columns/printer.ts"

interface LoadBalancerStatus {
  readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[]
}

/** Addresses or host names, sorted and each once. */
export function ingressAddresses(status: LoadBalancerStatus | undefined): readonly string[] {
  const addresses = (status?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "")
  return [...new Set(addresses.filter((address) => address !== ""))].sort()
}

export const servicePrinter = printer<Service>(
  nameColumn,
  text("Type", ({ spec }) => spec?.type),
  text("Cluster-IP", ({ spec }) => spec?.clusterIPs?.[0] ?? none),
  text("External-IP", externalIp),
  text("Port(s)", ({ spec, status }) => or((spec?.ports ?? []).map((port) => portText(port, mappedTo(port, status))).join(","), none)),
  ageColumn,
  wide(text("Selector", ({ spec }) => labelsText(spec?.selector))),
)

function externalIp({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? []
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return or(external.join(","), none)
    case "LoadBalancer":
      return or([...ingressAddresses(status?.loadBalancer), ...external].join(","), "<pending>")
    case "ExternalName":
      return spec.externalName ?? ""
    default:
      return "<unknown>"
  }
}

function portText({ port, nodePort, protocol }: ServicePort, mapped: string | undefined): string {
  const reached = mapped === undefined ? `${port}` : `${port}->${mapped}`
  return nodePort ? `${reached}:${nodePort}/${protocol}` : `${reached}/${protocol}`
}

/** A balancer that could not have a port of its own says in the status which one it took; people type what they see here. */
function mappedTo({ port, protocol }: ServicePort, status: Service["status"]): string | undefined {
  const reported = (status?.loadBalancer?.ingress ?? []).flatMap(({ ports = [] }) => ports)
  const error = reported.find((one) => one.port === port && one.protocol === protocol)?.error
  return /^pilothouse\.dev\/PortMappedTo(\d+)$/.exec(error ?? "")?.[1]
}
