import { compareAmounts, type FieldError, fieldError, ownValue, parseQuantity } from "@pilothouse/api"
import type { LimitRange, LimitRangeItem } from "@pilothouse/api/core/v1"

const types: readonly string[] = ["Pod", "Container", "PersistentVolumeClaim"]

export function limitRangeErrors({ spec }: LimitRange): readonly FieldError[] {
  return (spec?.limits ?? []).flatMap((item, index) => itemErrors(item, `spec.limits[${index}]`))
}

function itemErrors(item: LimitRangeItem, field: string): readonly FieldError[] {
  const { type = "", min = {}, max = {} } = item
  const names = [...new Set([item.min, item.max, item.default, item.defaultRequest].flatMap((amounts) => Object.keys(amounts ?? {})))]
  return [
    ...(types.includes(type) || type.includes("/")
      ? []
      : [fieldError.invalid(`${field}.type`, type, "must be a standard limit type or fully qualified")]),
    ...names.flatMap((name) => orderErrors(item, name, field)),
    ...(type !== "PersistentVolumeClaim" || min.storage !== undefined || max.storage !== undefined
      ? []
      : [fieldError.required(`${field}.limits`, "either minimum or maximum storage value is required, but neither was provided")]),
  ]
}

interface Order {
  readonly low: [string, string | undefined]
  readonly high: [string, string | undefined]
  /** The field that is blamed. */
  readonly at: string
  readonly value: string | undefined
}

/** Minimum, request, default and maximum stand in this order. */
function orderErrors({ min, max, default: usual, defaultRequest }: LimitRangeItem, name: string, field: string): readonly FieldError[] {
  const of = (amounts: Readonly<Record<string, string>> | undefined) => ownValue(amounts, name)
  const [least, most, limit, request] = [of(min), of(max), of(usual), of(defaultRequest)]
  const orders: readonly Order[] = [
    { low: ["min", least], high: ["max", most], at: "min", value: least },
    { low: ["min", least], high: ["default request", request], at: "defaultRequest", value: request },
    { low: ["default request", request], high: ["max", most], at: "defaultRequest", value: request },
    { low: ["default request", request], high: ["default", limit], at: "defaultRequest", value: request },
    { low: ["min", least], high: ["default", limit], at: "default", value: least },
    { low: ["default", limit], high: ["max", most], at: "default", value: limit },
  ]
  return orders.flatMap(({ low, high, at, value }) => {
    if (low[1] === undefined || high[1] === undefined || compareAmounts(parseQuantity(low[1]), parseQuantity(high[1])) <= 0) return []
    return [fieldError.invalid(`${field}.${at}[${name}]`, value, `${low[0]} value ${low[1]} is greater than ${high[0]} value ${high[1]}`)]
  })
}
