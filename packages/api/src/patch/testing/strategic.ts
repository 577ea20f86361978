import { deepFreeze } from "../../meta/freeze.ts"
import { applyStrategicMerge } from "../strategic/merge.ts"
import { podSchema } from "./schemas.ts"

export type Value = Record<string, unknown>

export function apply(value: unknown, patch: unknown): unknown {
  return applyStrategicMerge(deepFreeze(value), deepFreeze(patch), podSchema)
}

/** Containers, ports and so on by their merge key alone: "a b" is [{name: "a"}, {name: "b"}]. */
export function named(names: string, more: Value = {}): Value[] {
  return names
    .split(" ")
    .filter(Boolean)
    .map((name) => ({ name, ...more }))
}
