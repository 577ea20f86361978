import { expect, it } from "vitest"
import { compile } from "../compile.ts"
import type { Environment } from "../environment/environment.ts"
import { type Activation, Program } from "../program.ts"
import { boolType, bytesType, doubleType, dynType, intType, listType, mapType, stringType, Type } from "../types/types.ts"
import { Duration } from "../values/duration.ts"
import { kindOf } from "../values/kinds.ts"
import { type AnyMap, mapGet, mapKeys } from "../values/maps.ts"
import { encodeUtf8 } from "../values/text.ts"
import { Double, doubleValue, Opaque, Optional, Uint, type Value } from "../values/value.ts"

/**
 * An expression, what it comes to, and what that costs; with the largest cost that is estimated where the table is about costs.
 * What it comes to is written as `showOutcome` does. The rows of a table are what cel-go says in kube-apiserver's environment.
 */
export type ExpressionRow = readonly [expression: string, outcome: string, cost: number, estimate?: number]

/** The variables of tables. */
export const tableVariables = {
  s: stringType,
  n: intType,
  f: doubleType,
  flag: boolType,
  raw: bytesType,
  names: listType(stringType),
  numbers: listType(intType),
  labels: mapType(stringType, stringType),
  d: dynType,
}

/** Their values. */
export const tableActivation: Activation = {
  s: "abc",
  n: 1,
  f: 1.5,
  flag: true,
  raw: encodeUtf8("abc"),
  names: ["a", "b"],
  numbers: [1, 2],
  labels: { a: "b" },
  d: 1,
}

/** Evaluates each row of a table. */
export function itComesTo(rows: readonly ExpressionRow[], environment: Environment): void {
  const typed = environment.extend({ variables: tableVariables })
  it.each(rows.map((row) => [row[0], row[1], row] as const))("%s comes to %s", (expression, outcome, [, , cost, estimate]) => {
    const program = compile(expression, typed)
    const evaluation = program instanceof Program ? program.evaluate(tableActivation) : undefined
    expect([showOutcome(program, evaluation), evaluation?.cost ?? 0]).toEqual([outcome, cost])
    if (estimate !== undefined) expect((program as Program).estimateCost().max).toBe(estimate)
  })
}

function showOutcome(program: ReturnType<typeof compile>, evaluation: ReturnType<Program["evaluate"]> | undefined): string {
  if (!(program instanceof Program)) {
    return program.kind === "issues"
      ? `refused: ${program.issues.map(({ message }) => message).join("; ")}`
      : `cannot be: ${program.message}`
  }
  return evaluation?.kind === "value" ? show(evaluation.value) : `fails: ${evaluation?.message}`
}

function show(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`
  if (value instanceof Double || typeof value === "number") return Number.isInteger(value) ? String(value) : `double ${doubleValue(value)}`
  if (value instanceof Uint) return `${value.value}u`
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`
  if (value instanceof Duration) return `duration ${value}`
  if (value instanceof Optional) return value.value === undefined ? "none" : `optional ${show(value.value)}`
  if (value instanceof Opaque) return value.type.name
  if (value instanceof Type) return `type ${value.name}`
  if (kindOf(value) !== "map") return String(value)
  const map = value as AnyMap
  const entries = mapKeys(map).map((key) => `${show(key)}: ${show(mapGet(map, key) as Value)}`)
  return `{${entries.toSorted().join(", ")}}`
}
