/** How an object is: well, on its way there, in need of help, or held on purpose. The words are those of Argo CD. */
export type Health = "healthy" | "progressing" | "degraded" | "suspended"

/** What `explain` says first of an object. */
export interface Verdict {
  readonly health: Health
  /** One sentence: what is wrong and its one cause, or that all is well. */
  readonly summary: string
  /** What a person can do about it; absent where waiting or nothing is the answer. */
  readonly advice?: string
  /** The container whose last log line tells more than its exit code. */
  readonly crashed?: ContainerPlace
}

export interface ContainerPlace {
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

export const healthy = (summary: string): Verdict => ({ health: "healthy", summary })
export const progressing = (summary: string): Verdict => ({ health: "progressing", summary })
export const suspended = (summary: string, advice?: string): Verdict => ({ health: "suspended", summary, advice })
export const degraded = (summary: string, advice?: string): Verdict => ({ health: "degraded", summary, advice })

/** Worst first. */
const order: readonly Health[] = ["degraded", "progressing", "suspended", "healthy"]

/** Compares verdicts for a list whose worst comes first. */
export function compareHealth(a: Pick<Verdict, "health">, b: Pick<Verdict, "health">): number {
  return order.indexOf(a.health) - order.indexOf(b.health)
}
