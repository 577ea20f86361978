import { canonicalQuantity, parseTime } from "@pilothouse/api"
import type { ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import { curveAnnotation } from "../kubelet/behaviour/behaviour.ts"
import { quantityAt } from "../kubelet/behaviour/curve.ts"
import type { MetricsQuestion } from "./question.ts"

/** Cores and bytes. */
export interface Usage {
  readonly cpu: number
  readonly memory: number
}

/** What a container that says nothing uses: as KWOK has it. */
const usual: Usage = { cpu: 0.001, memory: 2 ** 20 }

/** The usage of one container. */
export interface ContainerUsage {
  readonly name: string
  readonly usage: Usage
}

/**
 * What each running container of a pod uses now, sidecars too: `pilothouse.dev/cpu: 0s=100m,60s=900m` counts from its start, and goes before what was
 * measured.
 */
export function containerUsages(pod: Pod, { now, measured }: Pick<MetricsQuestion, "now" | "measured">): readonly ContainerUsage[] {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  const running = [...containerStatuses, ...initContainerStatuses].filter(({ state }) => state?.running !== undefined)
  return running.map((status) => ({ name: status.name, usage: usageOf(pod, status, { now, used: measured?.(pod, status.name) }) }))
}

/** Returns the sum of usages. */
export function sumOf(usages: readonly Usage[]): Usage {
  return usages.reduce((sum, { cpu, memory }) => ({ cpu: sum.cpu + cpu, memory: sum.memory + memory }), { cpu: 0, memory: 0 })
}

function usageOf(pod: Pod, { name, state }: ContainerStatus, { now, used }: { readonly now: number; readonly used?: Usage }): Usage {
  const started = state?.running?.startedAt
  const elapsed = started === undefined ? 0 : now - parseTime(started)
  const amount = (resource: keyof Usage) => {
    const curve = curveAnnotation(pod, resource, name)
    return (curve && quantityAt(curve, elapsed)) ?? used?.[resource] ?? usual[resource]
  }
  return { cpu: amount("cpu"), memory: amount("memory") }
}

/** As metrics-server writes it: nano-cores and kibibytes are truncated below what can be measured. */
export function usageQuantities({ cpu, memory }: Usage): Readonly<Record<string, string>> {
  return { cpu: canonicalQuantity(`${Math.round(cpu * 1e9)}n`), memory: `${Math.round(memory / 1024)}Ki` }
}
