import type { Service, ServicePort } from "@pilothouse/api/core/v1"
import { labelsText, none, or } from "./cells.ts"
import { ageColumn, nameColumn, text, wide } from "./column.ts"
import { ingressAddresses } from "./load-balancer-status.ts"
import { printer } from "./printer.ts"

export const servicePrinter = printer<Service>(
  nameColumn,
  text("Type", ({ spec }) => spec?.type),
  text("Cluster-IP", ({ spec }) => spec?.clusterIPs?.[0] ?? none),
  text("External-IP", externalIp),
  text("Port(s)", ({ spec }) => or((spec?.ports ?? []).map(portText).join(","), none)),
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

function portText({ port, nodePort, protocol }: ServicePort): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`
}
