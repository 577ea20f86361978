import { amountMilliValue, amountOf, formatQuantity, parseQuantity, type Quantity } from "@pilothouse/api"

export function thousandthsOf(quantity: Quantity): number {
  return amountMilliValue(parseQuantity(String(quantity)))
}

/** Thousandths as a quantity: memory as metrics-server writes it (64Mi), everything else in decimals (250m). */
export function milliQuantity(value: number, resource = ""): string {
  const format = resource === "memory" ? "BinarySI" : "DecimalSI"
  // Upstream counts in 64 bits and stops there.
  const whole = value >= 2 ** 63 ? 2n ** 63n - 1n : BigInt(Math.trunc(value))
  return formatQuantity(amountOf(whole, { scale: -3, format }))
}
