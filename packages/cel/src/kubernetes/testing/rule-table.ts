import { formatFieldError } from "@pilothouse/api"
import { expect, it } from "vitest"
import { type CompiledRule, compileRules } from "../rules/compile-rules.ts"
import { validateRules } from "../rules/validate-rules.ts"
import type { JsonSchema } from "../schema/json-schema.ts"

/** The properties of an object, the object, and what it was before. */
export interface Judged {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly object: unknown
  readonly old?: unknown
}

/** A rule, what kube-apiserver says of it or of the object, what it costs and what it is estimated to cost. */
export type RuleRow = readonly [rule: string, outcome: string, cost: number, estimate?: number]

/** Judges an object by one rule after the other. */
export function itJudges({ properties, object, old }: Judged, rows: readonly RuleRow[]): void {
  it.each(rows.map((row) => [row[0], row[1], row] as const))("%s: %s", (rule, outcome, [, , cost, estimate]) => {
    const schema: JsonSchema = { type: "object", properties, "x-kubernetes-validations": [{ rule }] }
    const compiled = compileRules(schema, { isResourceRoot: false })
    const [only] = (compiled.root?.rules ?? []) as [CompiledRule]
    if (only.error !== undefined) {
      expect([`refused: ${faultsOf(only.error)}`, 0]).toEqual([outcome, cost])
      return
    }
    const { errors, warnings, cost: spent } = validateRules(compiled, "root", object, old)
    expect([[...errors.map(formatFieldError), ...warnings][0] ?? "holds", spent]).toEqual([outcome, cost])
    expect(only.program?.estimateCost().max).toBe(estimate)
  })
}

/** Leaves out the lines that repeat the text. */
function faultsOf(error: string): string {
  const lines = error.split("\n").filter((line) => !line.startsWith(" | "))
  return lines.map((line) => line.replace(/ERROR: <input>:(\d+):(\d+): /, "$1:$2: ")).join("; ")
}

/** An object, what it was before, the errors in any order, and what all rules cost. */
export interface Validated {
  readonly object: unknown
  readonly old?: unknown
  readonly errors: readonly string[]
  readonly cost: number
}

/** Validates one object after the other against a schema. */
export function itValidates(schema: object, options: { readonly isResourceRoot: boolean }, rows: readonly Validated[]): void {
  const compiled = compileRules(schema as JsonSchema, options)
  it.each(rows.map((row) => ({ ...row, title: JSON.stringify([row.object, row.old ?? null]) })))(
    "$title",
    ({ object, old, errors, cost }) => {
      const found = validateRules(compiled, "root", object, old)
      expect([found.errors.map(formatFieldError).toSorted(), found.cost]).toEqual([[...errors].toSorted(), cost])
    },
  )
}
