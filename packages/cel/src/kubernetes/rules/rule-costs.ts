import { type FieldError, fieldError } from "@pilothouse/api"
import { unbounded } from "../../cost/interval.ts"
import { type JsonSchema, valuesSchema } from "../schema/json-schema.ts"
import { maxRequestSize } from "../schema/schema-types.ts"

/** What one expression may be estimated to cost, times how often it can run for one object. */
export const ruleCostLimit = 10_000_000

/** What all expressions of a schema may be estimated to cost. */
const schemaCostLimit = 100_000_000

/** Names of the dearest expressions that a refused schema lists. */
const listedRules = 4

/** How often a schema's values can occur in one object; undefined if only the size of a request bounds it. */
export type Cardinality = number | undefined

/** Returns how often the children of a schema's values can occur. */
export function childCardinality(cardinality: Cardinality, schema: JsonSchema): Cardinality {
  const factor = elementsOf(schema)
  return cardinality === undefined || factor === undefined ? undefined : Math.min(cardinality * factor, unbounded)
}

function elementsOf(schema: JsonSchema): number | undefined {
  if (schema.type === "array") return schema.maxItems === undefined ? undefined : Math.max(0, schema.maxItems)
  if (schema.type !== "object" || (schema.additionalProperties === undefined && !valuesSchema(schema))) return 1
  return schema.maxProperties === undefined ? undefined : Math.max(0, schema.maxProperties)
}

/** Returns what an expression costs for one object: its own cost times how often it runs. */
export function totalCost(cost: number, cardinality: Cardinality, minSize: number): number {
  return Math.min(cost * (cardinality ?? Math.floor(maxRequestSize / (minSize + 1))), unbounded)
}

/** Says by how much a cost exceeds its limit. */
export function budgetMessage(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const shown = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
  const advice = "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared"
  return `${what} exceeds budget by factor of ${shown} (${advice})`
}

/** Adds up the costs of a schema's expressions. */
export class SchemaCost {
  private total = 0
  private dearest: { readonly path: string; readonly cost: number }[] = []

  observe(path: string, cost: number): void {
    this.total = Math.min(this.total + cost, unbounded)
    if (cost < schemaCostLimit / 100) return
    this.dearest = [...this.dearest, { path, cost }].toSorted((left, right) => right.cost - left.cost).slice(0, listedRules)
  }

  /** Returns the refusal of a schema that costs too much: its dearest expressions, then the sum. */
  errors(path: string): FieldError[] {
    if (this.total <= schemaCostLimit) return []
    const contributed = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
    const sum = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
    return [
      ...this.dearest.map((rule) => fieldError.forbidden(rule.path, contributed)),
      fieldError.forbidden(path, budgetMessage(sum, this.total, schemaCostLimit)),
    ]
  }
}
