import { type KubeObject, parseTime } from "@pilothouse/api"
import type { CustomResourceColumnDefinition, CustomResourceDefinitionVersion } from "@pilothouse/api/apiextensions/v1"
import { findResults, parseTemplate, printResults, type TemplatePart, type Visits } from "@pilothouse/api/jsonpath"
import { lazy } from "@pilothouse/seams"
import { withManagedFields } from "../managedfields/object-managed-fields.ts"
import { nameColumn } from "../printing/columns/column.ts"
import { humanDuration } from "../printing/columns/human-duration.ts"
import type { Cell, CellColumn, Printer } from "../printing/columns/printer.ts"

/** How many values the columns may visit in one object, all together: rows are made by the dozen in a turn. */
const maxVisits = 100_000

const age: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  description: "The time since the object was created",
  jsonPath: ".metadata.creationTimestamp",
}

/**
 * Returns how objects of a version are shown in a table: their name, then the columns of the definition, or else their age. Paths are parsed when
 * a table is first asked for; a path that does not parse ends the columns, as in kube-apiserver.
 */
export function customResourcePrinter({ additionalPrinterColumns = [] }: CustomResourceDefinitionVersion): Printer {
  return columnsPrinter(additionalPrinterColumns.length === 0 ? [age] : additionalPrinterColumns)
}

/** Returns how the scale of a custom resource is shown in a table. */
export function customScalePrinter({ subresources }: CustomResourceDefinitionVersion): Printer {
  const { specReplicasPath = "", statusReplicasPath = "" } = subresources?.scale ?? {}
  const desired = { name: "Desired", type: "integer", description: "Number of desired replicas", jsonPath: ".spec.replicas" }
  const available = { name: "Available", type: "integer", description: "Number of actual replicas", jsonPath: ".status.replicas" }
  return columnsPrinter([...(specReplicasPath === "" ? [] : [desired]), ...(statusReplicasPath === "" ? [] : [available]), age])
}

function columnsPrinter(definitions: readonly CustomResourceColumnDefinition[]): Printer {
  const visits: Visits = { left: maxVisits }
  const columns = lazy(() => [nameColumn, ...parsedColumns(definitions, visits)])
  // The managers of fields stand beside an object and cost time to write out.
  const withManagers = definitions.some(({ jsonPath }) => /managedFields|\.\./.test(jsonPath))
  return {
    get columns() {
      return columns()
    },
    cells(object, now) {
      visits.left = maxVisits
      const shown = withManagers ? withManagedFields(object) : object
      return columns().map(({ cell }) => cell(shown, now))
    },
  }
}

function parsedColumns(definitions: readonly CustomResourceColumnDefinition[], visits: Visits): readonly CellColumn<KubeObject>[] {
  const columns: CellColumn<KubeObject>[] = []
  for (const { name, type, format = "", description = "", jsonPath, priority = 0 } of definitions) {
    const path = parsedPath(jsonPath)
    if (path === undefined) break
    columns.push({
      name,
      type,
      format,
      description: description === "" ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
      priority,
      cell: (object, now) => cellOf(type, firstResult(path, object, visits), now),
    })
  }
  return columns
}

function parsedPath(jsonPath: string): readonly TemplatePart[] | undefined {
  try {
    return parseTemplate(`{${jsonPath}}`)
  } catch {
    // The definition is served all the same.
    return undefined
  }
}

interface Result {
  readonly value: unknown
}

/** Undefined where the path finds nothing, or cannot be followed in this object. */
function firstResult(path: readonly TemplatePart[], object: KubeObject, visits: Visits): Result | undefined {
  try {
    const [first = []] = findResults(path, object, { allowMissingKeys: true, visits })
    return first.length === 0 ? undefined : { value: first[0] ?? undefined }
  } catch {
    // One object that is built otherwise does not hide the table.
    return undefined
  }
}

/** Returns the cell of a value in a column of a type, null for a value of another type. A column of texts shows every value. */
function cellOf(type: string, result: Result | undefined, now: number): Cell {
  if (result === undefined) return null
  const { value } = result
  if (type === "string") return printResults([value])
  switch (typeof value) {
    case "number":
    case "bigint":
      if (type === "integer") return typeof value === "number" ? Math.trunc(value) : value
      return type === "number" ? Number(value) : null
    case "boolean":
      return type === "boolean" ? value : null
    case "string":
      return type === "date" ? dateCell(value, now) : null
    default:
      return null
  }
}

/** What Go has for a time that is not set. */
const zeroTime = "0001-01-01T00:00:00Z"

function dateCell(text: string, now: number): string {
  if (text === "" || text === "null" || text === zeroTime) return "<unknown>"
  try {
    return humanDuration(now - parseTime(text))
  } catch {
    return "<invalid>"
  }
}
