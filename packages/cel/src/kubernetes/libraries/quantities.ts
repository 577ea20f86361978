import {
  type Amount,
  addAmounts,
  amountOf,
  amountScaledValue,
  amountSign,
  approximateAmount,
  compareAmounts,
  parseQuantity,
  subtractAmounts,
} from "@pilothouse/api"
import { unitCost } from "../../cost/cost-rule.ts"
import type { Library } from "../../environment/environment.ts"
import { defineOverloads } from "../../environment/overload.ts"
import { opaqueType } from "../../types/types.ts"
import { int } from "../../values/integers.ts"
import { double, fail, Opaque } from "../../values/value.ts"
import { parseCost } from "./costs.ts"

/** The type of quantities. */
export const quantityType = opaqueType("kubernetes.Quantity")

/** An amount as expressions see it. */
export class Quantity extends Opaque {
  readonly type = quantityType
  readonly amount: Amount
  /** Whether it is a sum or a difference. */
  readonly isComputed: boolean
  /** The power of ten that upstream counts it in, where it does so with 64 bits: only such amounts can be integers. */
  readonly scale: number | undefined

  constructor(amount: Amount, scale: number | undefined, { isComputed = false }: { readonly isComputed?: boolean } = {}) {
    super()
    this.amount = amount
    this.scale = scale
    this.isComputed = isComputed
  }

  /** Upstream cannot compare with what is computed on the right; on the left it can. */
  equals(other: Opaque): boolean {
    if (other instanceof Quantity && other.isComputed) return fail("no such overload")
    return other instanceof Quantity && compareAmounts(this.amount, other.amount) === 0
  }
}

/** Returns what a text says; fails in upstream's words. */
export function quantityOf(text: string): Quantity {
  const amount = parse(text)
  return typeof amount === "string" ? fail(amount) : new Quantity(amount, scaleOf(text, amount))
}

const number = /^[+-]?0*((?:[1-9][0-9]*)?)(?:\.([0-9]*))?/

/** Texts of more than 18 digits, and parts of powers of two, need big numbers. */
function scaleOf(text: string, { format, scale, mantissa }: Amount): number | undefined {
  const [, digits = "", fraction = ""] = number.exec(text) ?? []
  if (format === "BinarySI") return fraction === "" && digits.length + 3 * ("KMGTPE".indexOf(text.at(-2) ?? "") + 1) < 15 ? 0 : undefined
  if (digits.length + fraction.length > 18) return undefined
  return mantissa === 0 ? -fraction.length : scale
}

/** A sum or difference; it is counted in the smaller unit of both. */
function computed(left: Quantity, right: Quantity, compute: (left: Amount, right: Amount) => Amount): Quantity {
  return new Quantity(compute(left.amount, right.amount), sumScale(left, right), { isComputed: true })
}

function sumScale(left: Quantity, right: Quantity): number | undefined {
  if (left.scale === undefined || right.scale === undefined) return undefined
  if (amountSign(right.amount) === 0) return left.scale
  return amountSign(left.amount) === 0 ? right.scale : Math.min(left.scale, right.scale)
}

/** Returns the amount of a text, or what is wrong with it. */
function parse(text: string): Amount | string {
  try {
    return parseQuantity(text)
  } catch (error) {
    if (error instanceof Error) return error.message
    throw error
  }
}

/** Returns the whole number of an amount; undefined if upstream counts it in parts, or not with 64 bits. */
function wholeNumber({ amount, scale }: Quantity): bigint | undefined {
  if (scale === undefined || scale < 0) return undefined
  const value = amountScaledValue(amount, 0)
  return value < 2n ** 63n && value >= -(2n ** 63n) ? value : undefined
}

function whole(value: number | bigint): Quantity {
  return new Quantity(amountOf(Number.isSafeInteger(value) ? value : BigInt(value), { format: "DecimalExponent" }), 0)
}

const order = (left: Quantity, right: Quantity): number => compareAmounts(left.amount, right.amount)

/** Kubernetes' quantities: `quantity('1Gi')`. */
export const quantityLibrary: Library = {
  name: "kubernetes.quantity",
  overloads: defineOverloads([
    {
      id: "string_to_quantity",
      name: "quantity",
      function: "(string) -> kubernetes.Quantity",
      evaluate: quantityOf,
      cost: parseCost,
      example: "quantity('1000m') == quantity('1')",
      failure: ["quantity('many')", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    },
    {
      id: "is_quantity_string",
      name: "isQuantity",
      function: "(string) -> bool",
      evaluate: (text: string) => typeof parse(text) !== "string",
      cost: parseCost,
      example: "isQuantity('1Gi') && !isQuantity('many')",
    },
    {
      id: "quantity_sign",
      name: "sign",
      function: "(kubernetes.Quantity) -> int",
      evaluate: ({ amount }: Quantity) => amountSign(amount),
      cost: unitCost,
      example: "sign(quantity('-1')) == -1",
    },
    {
      id: "quantity_is_greater_than",
      name: "isGreaterThan",
      method: "(kubernetes.Quantity, kubernetes.Quantity) -> bool",
      evaluate: (left: Quantity, right: Quantity) => order(left, right) === 1,
      cost: unitCost,
      example: "quantity('1Gi').isGreaterThan(quantity('1G'))",
    },
    {
      id: "quantity_is_less_than",
      name: "isLessThan",
      method: "(kubernetes.Quantity, kubernetes.Quantity) -> bool",
      evaluate: (left: Quantity, right: Quantity) => order(left, right) === -1,
      cost: unitCost,
      example: "quantity('1G').isLessThan(quantity('1Gi'))",
    },
    {
      id: "quantity_compare_to",
      name: "compareTo",
      method: "(kubernetes.Quantity, kubernetes.Quantity) -> int",
      evaluate: order,
      cost: unitCost,
      example: "quantity('1').compareTo(quantity('1000m')) == 0",
    },
    {
      id: "quantity_get_float",
      name: "asApproximateFloat",
      method: "(kubernetes.Quantity) -> double",
      evaluate: ({ amount }: Quantity) => double(approximateAmount(amount)),
      cost: unitCost,
      example: "quantity('1500m').asApproximateFloat() == 1.5",
    },
    {
      id: "quantity_get_int",
      name: "asInteger",
      method: "(kubernetes.Quantity) -> int",
      evaluate: (value: Quantity) => int(wholeNumber(value) ?? fail("cannot convert value to integer")),
      cost: unitCost,
      example: "quantity('1k').asInteger() == 1000",
      failure: ["quantity('1m').asInteger()", "cannot convert value to integer"],
    },
    {
      id: "quantity_is_integer",
      name: "isInteger",
      method: "(kubernetes.Quantity) -> bool",
      evaluate: (value: Quantity) => wholeNumber(value) !== undefined,
      cost: unitCost,
      example: "quantity('1k').isInteger() && !quantity('1m').isInteger()",
    },
    {
      id: "quantity_add",
      name: "add",
      method: "(kubernetes.Quantity, kubernetes.Quantity) -> kubernetes.Quantity",
      evaluate: (left: Quantity, right: Quantity) => computed(left, right, addAmounts),
      cost: unitCost,
      example: "quantity('1k').add(quantity('2k')) == quantity('3k')",
    },
    {
      id: "quantity_add_int",
      name: "add",
      method: "(kubernetes.Quantity, int) -> kubernetes.Quantity",
      evaluate: (left: Quantity, right: number | bigint) => computed(left, whole(right), addAmounts),
      cost: unitCost,
      example: "quantity('1k').add(1) == quantity('1001')",
    },
    {
      id: "quantity_sub",
      name: "sub",
      method: "(kubernetes.Quantity, kubernetes.Quantity) -> kubernetes.Quantity",
      evaluate: (left: Quantity, right: Quantity) => computed(left, right, subtractAmounts),
      cost: unitCost,
      example: "quantity('3k').sub(quantity('2k')) == quantity('1k')",
    },
    {
      id: "quantity_sub_int",
      name: "sub",
      method: "(kubernetes.Quantity, int) -> kubernetes.Quantity",
      evaluate: (left: Quantity, right: number | bigint) => computed(left, whole(right), subtractAmounts),
      cost: unitCost,
      example: "quantity('1k').sub(1) == quantity('999')",
    },
  ]),
}
