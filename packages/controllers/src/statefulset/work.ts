import type { KubeOperation, PlannedEvent } from "@pilothouse/runtime"

/** Operations for some of the pods. */
export interface Work {
  /** Applied before the pods. */
  readonly claims: readonly KubeOperation[]
  readonly pods: readonly KubeOperation[]
  /** What has to happen before anything more can be done. */
  readonly waitFor?: string
  readonly events: readonly Pick<PlannedEvent, "reason" | "message">[]
}

export const noWork: Work = { claims: [], pods: [], events: [] }

export function waiting(waitFor: string): Work {
  return { ...noWork, waitFor }
}

export function mergeWork(works: readonly Work[]): Work {
  return {
    claims: works.flatMap(({ claims }) => claims),
    pods: works.flatMap(({ pods }) => pods),
    events: works.flatMap(({ events }) => events),
    waitFor: works.find(({ waitFor }) => waitFor !== undefined)?.waitFor,
  }
}
