import type { FlowSchema, PriorityLevelConfiguration } from "@pilothouse/api/flowcontrol/v1"
import { none } from "../columns/cells.ts"
import { ageColumn, count, nameColumn, text } from "../columns/column.ts"
import { type CellColumn, type Printer, printer } from "../columns/printer.ts"

const flowSchema = printer<FlowSchema>(
  nameColumn,
  text("PriorityLevel", ({ spec }) => spec?.priorityLevelConfiguration?.name),
  count("MatchingPrecedence", ({ spec }) => spec?.matchingPrecedence),
  text("DistinguisherMethod", ({ spec }) => spec?.distinguisherMethod?.type ?? none),
  ageColumn,
  text("MissingPL", ({ status }) => status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?"),
)

const priorityLevelConfiguration = printer<PriorityLevelConfiguration>(
  nameColumn,
  text("Type", ({ spec }) => spec?.type),
  orNone("NominalConcurrencyShares", ({ spec }) => spec?.limited && (spec.limited.nominalConcurrencyShares ?? 0)),
  orNone("Queues", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queues),
  orNone("HandSize", ({ spec }) => spec?.limited?.limitResponse?.queuing?.handSize),
  orNone("QueueLengthLimit", ({ spec }) => spec?.limited?.limitResponse?.queuing?.queueLengthLimit),
  ageColumn,
)

function orNone<T>(name: string, cell: (object: T) => number | undefined): CellColumn<T> {
  return { name, type: "string", cell: (object) => cell(object) ?? none }
}

export const flowControlPrinters: Readonly<Record<string, Printer<never>>> = {
  "flowcontrol.apiserver.k8s.io/FlowSchema": flowSchema,
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": priorityLevelConfiguration,
}
