import type { ContainerPlace, Health } from "./verdict.ts"

/** What keeps a pod from being ready. */
export interface Trouble {
  /** Pods with the same one are counted together: without names and times of one pod. */
  readonly cause: string
  readonly health: Extract<Health, "progressing" | "degraded" | "suspended">
  /** The sentence, about "it", "pod web-1" or "3 pods". */
  readonly text: (who: string) => string
  readonly advice?: string
  readonly crashed?: ContainerPlace
}
