import { amountMilliValue, amountOf, formatQuantity, parseQuantity, type Quantity } from "@pilothouse/api"

/** What one pod used of something. All values of metrics are in thousandths, as the API of quantities counts them. */
export interface PodSample {
  readonly value: number
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number
  /** Over how many milliseconds before that. */
  readonly window: number
}

export type PodSamples = ReadonlyMap<string, PodSample>

/** What a metrics API said of one metric: values by pod, plain values, or why there are none. */
export type Reading = { readonly pods: PodSamples } | { readonly values: readonly number[] } | { readonly failure: string }

/** A count of replicas is a 32-bit number on the wire: what is more stays at the most there can be. */
export function roundUpReplicas(replicas: number): number {
  return Math.min(Math.ceil(replicas), 2 ** 31 - 1)
}

export function milliValue(quantity: Quantity): number {
  return amountMilliValue(parseQuantity(String(quantity)))
}

/** Thousandths as a quantity: memory as metrics-server writes it (64Mi), everything else in decimals (250m). */
export function milliQuantity(value: number, resource = ""): string {
  const format = resource === "memory" ? "BinarySI" : "DecimalSI"
  // Upstream counts in 64 bits and stops there.
  const whole = value >= 2 ** 63 ? 2n ** 63n - 1n : BigInt(Math.trunc(value))
  return formatQuantity(amountOf(whole, { scale: -3, format }))
}
