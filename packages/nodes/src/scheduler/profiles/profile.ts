import type { FilterName } from "../queue/filter-name.ts"

/** The name of a score, by which profiles weigh it. */
export type ScoreName =
  | "preferredTaints"
  | "preferredNodes"
  | "leastAllocated"
  | "balancedAllocation"
  | "imageLocality"
  | "spreading"
  | "preferredPods"

/** How pods that name a scheduler are placed: what is not said is as by default. */
export interface SchedulerProfile {
  /** The name that pods have as their spec.schedulerName. */
  readonly schedulerName: string
  /** Filters that do not run. */
  readonly disabledFilters: ReadonlySet<FilterName>
  /** 0: the score does not count. */
  readonly weights: Readonly<Record<ScoreName, number>>
}

/** The name of upstream's scheduler, which is the default of pods. */
export const defaultSchedulerName = "default-scheduler"

/** Upstream's weights. */
export const defaultWeights: Readonly<Record<ScoreName, number>> = {
  preferredTaints: 3,
  preferredNodes: 2,
  leastAllocated: 1,
  balancedAllocation: 1,
  imageLocality: 1,
  spreading: 2,
  preferredPods: 2,
}

export const defaultProfile: SchedulerProfile = { schedulerName: defaultSchedulerName, disabledFilters: new Set(), weights: defaultWeights }
