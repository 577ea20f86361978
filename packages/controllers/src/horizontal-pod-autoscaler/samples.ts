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
export function wholeReplicas(replicas: number): number {
  return Math.min(Math.ceil(replicas), 2 ** 31 - 1)
}
