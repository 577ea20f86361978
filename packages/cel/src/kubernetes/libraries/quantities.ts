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

  constructor(amount: Amount, { isComputed = false }: { readonly isComputed?: boolean } = {}) {
    super()
    this.amount = amount
    this.isComputed = isComputed
  }

  /** Upstream cannot compare with what is computed on the right; on the left it can. */
  equals(other: Opaque): boolean {
    if (other instanceof Quantity && other.isComputed) return fail("no such overload")
    return other instanceof Quantity && compareAmounts(this.amount, other.amount) === 0
  }
}

function computed(amount: Amount): Quantity {
  return new Quantity(amount, { isComputed: true })
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

function quantity(text: string): Quantity {
  const amount = parse(text)
  return typeof amount === "string" ? fail(amount) : new Quantity(amount)
}

/** Returns the whole number of an amount; undefined if it has a fraction or does not fit into 64 bits. */
function wholeNumber({ amount }: Quantity): bigint | undefined {
  const value = amountScaledValue(amount, 0)
  const fits = value < 2n ** 63n && value >= -(2n ** 63n)
  return fits && compareAmounts(amount, amountOf(value)) === 0 ? value : undefined
}

function whole(value: number | bigint): Amount {
  return amountOf(value, { format: "DecimalExponent" })
}

const order = (left: Quantity, right: Quantity): number => compareAmounts(left.amount, right.amount)

/** Kubernetes' quantities: `quantity('1Gi')`. */
export const quantityLibrary: Library = {
  name: "kubernetes.quantity",
  types: [quantityType],
  overloads: defineOverloads([
    {
      id: "string_to_quantity",
      name: "quantity",
      function: "(string) -> kubernetes.Quantity",
      evaluate: quantity,
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
      evaluate: (left: Quantity, right: Quantity) => computed(addAmounts(left.amount, right.amount)),
      cost: unitCost,
      example: "quantity('1k').add(quantity('2k')) == quantity('3k')",
    },
    {
      id: "quantity_add_int",
      name: "add",
      method: "(kubernetes.Quantity, int) -> kubernetes.Quantity",
      evaluate: (left: Quantity, right: number | bigint) => computed(addAmounts(left.amount, whole(right))),
      cost: unitCost,
      example: "quantity('1k').add(1) == quantity('1001')",
    },
    {
      id: "quantity_sub",
      name: "sub",
      method: "(kubernetes.Quantity, kubernetes.Quantity) -> kubernetes.Quantity",
      evaluate: (left: Quantity, right: Quantity) => computed(subtractAmounts(left.amount, right.amount)),
      cost: unitCost,
      example: "quantity('3k').sub(quantity('2k')) == quantity('1k')",
    },
    {
      id: "quantity_sub_int",
      name: "sub",
      method: "(kubernetes.Quantity, int) -> kubernetes.Quantity",
      evaluate: (left: Quantity, right: number | bigint) => computed(subtractAmounts(left.amount, whole(right))),
      cost: unitCost,
      example: "quantity('1k').sub(1) == quantity('999')",
    },
  ]),
}
