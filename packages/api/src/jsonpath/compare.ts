import { PilothouseError } from "@pilothouse/seams"
import { typeOf } from "../patch/values/json-value.ts"

/** A value of a comparison: `float` says that a whole number was written with a point. */
export interface Operand {
  readonly value: unknown
  readonly float: boolean
}

/** Compares two values as Go's templates do: only values of one type can be compared, and 3 is of another type than 3.0. */
export function compare(operator: string, left: Operand, right: Operand): boolean {
  switch (operator) {
    case "==":
      return isEqual(left, right)
    case "!=":
      return !isEqual(left, right)
    case "<":
      return isLess(left, right)
    case "<=":
      return isLess(left, right) || isEqual(left, right)
    case ">":
      return !(isLess(left, right) || isEqual(left, right))
    case ">=":
      return !isLess(left, right)
    default:
      throw new PilothouseError("INVALID", `unrecognized filter operator ${operator}`)
  }
}

function isEqual(left: Operand, right: Operand): boolean {
  commonType(left, right)
  return left.value === right.value
}

function isLess(left: Operand, right: Operand): boolean {
  if (commonType(left, right) === "boolean") throw notComparable()
  return (left.value as number) < (right.value as number)
}

function commonType(left: Operand, right: Operand): string {
  const type = comparedType(left)
  if (type !== comparedType(right)) throw new PilothouseError("INVALID", "incompatible types for comparison")
  return type
}

function comparedType({ value, float }: Operand): string {
  const type = typeOf(value)
  if (type === "object" || type === "list" || type === "null") throw notComparable()
  if (type !== "number") return type
  return float || (typeof value === "number" && !Number.isInteger(value)) ? "float" : "integer"
}

function notComparable(): PilothouseError {
  return new PilothouseError("INVALID", "invalid type for comparison")
}
