import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from "@pilothouse/api/networking/v1"
import { firstFew, none, or, selectorText, unset } from "../columns/cells.ts"
import { ageColumn, nameColumn, text } from "../columns/column.ts"
import { type Printer, printer } from "../columns/printer.ts"
import { ingressAddresses } from "./service.ts"

const endpointSlice = printer<EndpointSlice>(
  nameColumn,
  text("AddressType", ({ addressType }) => addressType),
  text("Ports", ({ ports = [] }) =>
    or(
      firstFew(
        ports.map(({ port, name }) => String(port ?? name ?? "*")),
        3,
      ),
      unset,
    ),
  ),
  text("Endpoints", ({ endpoints }) =>
    or(
      firstFew(
        (endpoints ?? []).flatMap(({ addresses }) => addresses),
        3,
      ),
      unset,
    ),
  ),
  ageColumn,
)

const ingress = printer<Ingress>(
  nameColumn,
  text("Class", ({ spec }) => spec?.ingressClassName ?? none),
  text("Hosts", hostsText),
  text("Address", ({ status }) => ingressAddresses(status?.loadBalancer).join(",")),
  text("Ports", ({ spec }) => (spec?.tls?.length ? "80, 443" : "80")),
  ageColumn,
)

/** Three of them; the count of the others is that of rules, with or without a host. */
function hostsText({ spec }: Ingress): string {
  const rules = spec?.rules ?? []
  const hosts: string[] = []
  for (const { host } of rules) {
    if (hosts.length === 3) return `${hosts.join(",")} + ${rules.length - 3} more...`
    if (host) hosts.push(host)
  }
  return or(hosts.join(","), "*")
}

const ingressClass = printer<IngressClass>(
  { ...nameColumn, cell: ({ metadata }) => `${metadata.name}${metadata.annotations?.[defaultClass] === "true" ? " (default)" : ""}` },
  text("Controller", ({ spec }) => spec?.controller),
  text("Parameters", parametersText),
  ageColumn,
)

const defaultClass = "ingressclass.kubernetes.io/is-default-class"

function parametersText({ spec }: IngressClass): string {
  const parameters = spec?.parameters
  if (parameters === undefined) return none
  return `${parameters.kind}${parameters.apiGroup === undefined ? "" : `.${parameters.apiGroup}`}/${parameters.name}`
}

const networkPolicy = printer<NetworkPolicy>(
  nameColumn,
  text("Pod-Selector", ({ spec }) => selectorText(spec?.podSelector ?? {})),
  ageColumn,
)

const serviceCidr = printer<ServiceCIDR>(
  nameColumn,
  text("CIDRs", ({ spec }) => spec?.cidrs?.join(",")),
  ageColumn,
)

const ipAddress = printer<IPAddress>(nameColumn, text("ParentRef", parentText))

function parentText({ spec }: IPAddress): string {
  const parent = spec?.parentRef
  if (parent === undefined) return none
  const resource = parent.group ? `${parent.resource}.${parent.group}` : (parent.resource ?? "")
  return [resource.toLowerCase(), parent.namespace, parent.name].filter((part) => part).join("/")
}

export const networkPrinters: Readonly<Record<string, Printer<never>>> = {
  "discovery.k8s.io/EndpointSlice": endpointSlice,
  "networking.k8s.io/IPAddress": ipAddress,
  "networking.k8s.io/Ingress": ingress,
  "networking.k8s.io/IngressClass": ingressClass,
  "networking.k8s.io/NetworkPolicy": networkPolicy,
  "networking.k8s.io/ServiceCIDR": serviceCidr,
}
