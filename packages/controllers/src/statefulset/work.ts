import type { KubeOperation, PlannedEvent } from "@pilothouse/runtime"

/** What is to be done for some of the pods. */
export interface Work {
  /** Before the pods themselves. */
  readonly claims: readonly KubeOperation[]
  readonly pods: readonly KubeOperation[]
  /** Nothing more can be done in this look until that has happened. */
  readonly waitFor?: string
  readonly events: readonly Pick<PlannedEvent, "reason" | "message">[]
}

export const noWork: Work = { claims: [], pods: [], events: [] }

export function waiting(waitFor: string): Work {
  return { ...noWork, waitFor }
}

export function together(works: readonly Work[]): Work {
  return {
    claims: works.flatMap(({ claims }) => claims),
    pods: works.flatMap(({ pods }) => pods),
    events: works.flatMap(({ events }) => events),
    waitFor: works.find(({ waitFor }) => waitFor !== undefined)?.waitFor,
  }
}
