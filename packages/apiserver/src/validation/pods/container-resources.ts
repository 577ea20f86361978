import { amountSign, checkLabelKey, compareAmounts, type FieldError, fieldError, ownValue, parseQuantity } from "@pilothouse/api"
import type { ResourceRequirements } from "@pilothouse/api/core/v1"

type Quantities = Readonly<Record<string, string>>

export function validateContainerResources(resources: ResourceRequirements | undefined, field: string): readonly FieldError[] {
  const { limits = {}, requests = {} } = resources ?? {}
  return [
    ...quantityErrors(limits, `${field}.limits`),
    ...quantityErrors(requests, `${field}.requests`),
    ...Object.entries(requests).flatMap(([name, request]) => requestErrors(name, request, ownValue(limits, name), `${field}.requests`)),
  ]
}

function quantityErrors(quantities: Quantities, field: string): readonly FieldError[] {
  return Object.entries(quantities).flatMap(([name, quantity]) => [
    ...nameErrors(name, `${field}[${name}]`),
    ...(amountSign(parseQuantity(quantity)) < 0
      ? [fieldError.invalid(`${field}[${name}]`, quantity, "must be greater than or equal to 0")]
      : []),
  ])
}

const standard: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"])

function nameErrors(name: string, field: string): readonly FieldError[] {
  const wrong = checkLabelKey(name).map((text) => fieldError.invalid(field, name, text))
  if (wrong.length > 0 || name.includes("/") || standard.has(name) || name.startsWith("hugepages-")) return wrong
  return ["must be a standard resource type or fully qualified", "must be a standard resource for containers"].map((text) =>
    fieldError.invalid(field, name, text),
  )
}

/** What is no part of a node's spare room (a GPU, a huge page) is given exactly or not at all. */
function requestErrors(name: string, request: string, limit: string | undefined, field: string): readonly FieldError[] {
  const exact = name.includes("/") || name.startsWith("hugepages-")
  if (limit === undefined) {
    return exact && !name.startsWith("hugepages-")
      ? [fieldError.required(field.replace(/requests$/, "limits"), `Limit must be set for non overcommitable resources`)]
      : []
  }
  const difference = compareAmounts(parseQuantity(request), parseQuantity(limit))
  if (exact && difference !== 0) return [fieldError.invalid(field, request, `must be equal to ${name} limit of ${limit}`)]
  return difference > 0 ? [fieldError.invalid(field, request, `must be less than or equal to ${name} limit of ${limit}`)] : []
}
