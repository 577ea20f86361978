import type { PodSamples } from "./samples.ts"

/** Values by the name of the pod, in thousandths. */
export type PodValues = ReadonlyMap<string, number>

export interface Usage {
  /** Use as a share of the target: 2 is twice as much as wanted. */
  readonly ratio: number
  /** The average of a pod. */
  readonly average: number
  /** In percent of what was requested, where the target is such. */
  readonly utilization?: number
}

export function valuesOf(samples: PodSamples, without: readonly string[]): Map<string, number> {
  const left = new Map([...samples].map(([name, { value }]) => [name, value]))
  for (const name of without) left.delete(name)
  return left
}

/** Against a target for the average pod. Parts are cut off, as upstream's whole numbers do. */
export function averageUsage(values: PodValues, target: number): Usage {
  const total = [...values.values()].reduce((sum, value) => sum + value, 0)
  const average = Math.trunc(total / values.size)
  return { ratio: average / target, average }
}

/** Against a target in percent of the requests. Values of pods that are not among the requests do not count. */
export function utilizationUsage(values: PodValues, requests: PodValues, target: number): Usage {
  const counted = [...values].filter(([name]) => requests.has(name))
  const total = counted.reduce((sum, [, value]) => sum + value, 0)
  const requested = counted.reduce((sum, [name]) => sum + (requests.get(name) ?? 0), 0)
  if (requested === 0) throw new Error("no metrics returned matched known pods")
  const utilization = Math.trunc((total * 100) / requested)
  return { ratio: utilization / target, average: Math.trunc(total / counted.length), utilization }
}
