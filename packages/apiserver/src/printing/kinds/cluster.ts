import type { APIService } from "@pilothouse/api/apiregistration/v1"
import type { Lease } from "@pilothouse/api/coordination/v1"
import type { RuntimeClass } from "@pilothouse/api/node/v1"
import type { PriorityClass } from "@pilothouse/api/scheduling/v1"
import { ageColumn, boolean, integer, nameColumn, text } from "../columns/column.ts"
import { type Printer, printer } from "../columns/printer.ts"

const lease = printer<Lease>(
  nameColumn,
  text("Holder", ({ spec }) => spec?.holderIdentity),
  ageColumn,
)

const priorityClass = printer<PriorityClass>(
  nameColumn,
  integer("Value", ({ value }) => value),
  boolean("Global-Default", ({ globalDefault }) => globalDefault),
  ageColumn,
  text("PreemptionPolicy", ({ preemptionPolicy }) => preemptionPolicy),
)

const runtimeClass = printer<RuntimeClass>(
  nameColumn,
  text("Handler", ({ handler }) => handler),
  ageColumn,
)

const apiService = printer<APIService>(
  nameColumn,
  text("Service", ({ spec }) => (spec?.service ? `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}` : "Local")),
  text("Available", availableText),
  ageColumn,
)

function availableText({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === "Available")
  if (condition === undefined) return "Unknown"
  return condition.status === "True" || !condition.reason ? condition.status : `${condition.status} (${condition.reason})`
}

export const clusterPrinters: Readonly<Record<string, Printer<never>>> = {
  "apiregistration.k8s.io/APIService": apiService,
  "coordination.k8s.io/Lease": lease,
  "node.k8s.io/RuntimeClass": runtimeClass,
  "scheduling.k8s.io/PriorityClass": priorityClass,
}
