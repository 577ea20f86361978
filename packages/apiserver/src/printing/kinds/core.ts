import { ownValue } from "@pilothouse/api"
import type {
  ComponentStatus,
  ConfigMap,
  Endpoints,
  Namespace,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  ResourceQuotaStatus,
  Secret,
  ServiceAccount,
} from "@pilothouse/api/core/v1"
import { hostAndPort } from "../../request/host-and-port.ts"
import { containerColumns, firstFew, labelsText, none } from "../columns/cells.ts"
import { ageColumn, count, integer, nameColumn, text, wide } from "../columns/column.ts"
import { type Printer, printer } from "../columns/printer.ts"

/** "cpu: 1/4, pods: 3/10" */
function quotaText(status: ResourceQuotaStatus | undefined, isShown: (resource: string) => boolean): string {
  return Object.keys(status?.hard ?? {})
    .filter(isShown)
    .sort()
    .map((resource) => `${resource}: ${ownValue(status?.used, resource) ?? 0}/${ownValue(status?.hard, resource)}`)
    .join(", ")
}

const namespace = printer<Namespace>(
  nameColumn,
  text("Status", ({ status }) => status?.phase),
  ageColumn,
)

const configMap = printer<ConfigMap>(
  nameColumn,
  count("Data", ({ data, binaryData }) => Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length),
  ageColumn,
)

const secret = printer<Secret>(
  nameColumn,
  text("Type", ({ type }) => type),
  count("Data", ({ data }) => Object.keys(data ?? {}).length),
  ageColumn,
)

const serviceAccount = printer<ServiceAccount>(nameColumn, ageColumn)

const endpoints = printer<Endpoints>(nameColumn, text("Endpoints", endpointsText), ageColumn)

/** Three of them as address:port, or bare addresses where a subset has no ports. */
function endpointsText({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return none
  const all = subsets.flatMap(({ addresses = [], ports = [] }) => {
    if (ports.length === 0) return addresses.map(({ ip }) => ip)
    return ports.flatMap(({ port }) => addresses.map(({ ip }) => hostAndPort(ip, port)))
  })
  return firstFew(all, 3)
}

const replicationController = printer<ReplicationController>(
  nameColumn,
  integer("Desired", ({ spec }) => spec?.replicas),
  integer("Current", ({ status }) => status?.replicas),
  integer("Ready", ({ status }) => status?.readyReplicas),
  ageColumn,
  ...containerColumns<ReplicationController>(({ spec }) => spec?.template?.spec?.containers),
  wide(text("Selector", ({ spec }) => labelsText(spec?.selector))),
)

const podTemplate = printer<PodTemplate>(
  nameColumn,
  ...containerColumns<PodTemplate>(({ template }) => template?.spec?.containers).map((column) => ({ ...column, wide: false })),
  text("Pod Labels", ({ template }) => labelsText(template?.metadata?.labels)),
)

const resourceQuota = printer<ResourceQuota>(
  nameColumn,
  text("Request", ({ status }) => quotaText(status, (resource) => !resource.startsWith("limits."))),
  text("Limit", ({ status }) => quotaText(status, (resource) => resource.startsWith("limits."))),
  ageColumn,
)

const componentStatus = printer<ComponentStatus>(
  nameColumn,
  text("Status", (component) => {
    const healthy = healthyOf(component)
    return healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy"
  }),
  text("Message", (component) => healthyOf(component)?.message),
  text("Error", (component) => healthyOf(component)?.error),
)

function healthyOf({ conditions }: ComponentStatus): NonNullable<ComponentStatus["conditions"]>[number] | undefined {
  return conditions?.find(({ type }) => type === "Healthy")
}

export const corePrinters: Readonly<Record<string, Printer<never>>> = {
  "/ComponentStatus": componentStatus,
  "/ConfigMap": configMap,
  "/Endpoints": endpoints,
  "/Namespace": namespace,
  "/PodTemplate": podTemplate,
  "/ReplicationController": replicationController,
  "/ResourceQuota": resourceQuota,
  "/Secret": secret,
  "/ServiceAccount": serviceAccount,
}
