import { type KubeObject, keyOf } from "@pilothouse/api"

/** One look of a loop at a key, as /debug/trace tells it. */
export interface TracedLook {
  readonly at: string
  readonly controller: string
  readonly key: string
  readonly causes: readonly string[]
  /** "Deployment default/web@1234" */
  readonly observed: readonly string[]
  /** The plan and what became of it, a sentence for each. */
  readonly words: readonly string[]
  readonly plan?: {
    readonly summary?: string
    readonly steps: readonly { readonly operations: readonly unknown[] }[]
    readonly waitingFor: readonly string[]
    readonly again?: { readonly after: string | number; readonly because: string }
  }
  /** Left out of a dry run. */
  readonly results?: readonly unknown[]
  readonly error?: string
}

/** Those that were about the object, oldest first; where there are none, those that read it on behalf of others. */
export function looksAt(looks: readonly TracedLook[], object: KubeObject): readonly TracedLook[] {
  const key = keyOf(object)
  const seen = `${object.kind} ${key}@`
  const reading = looks.filter(({ observed }) => observed.some((one) => one.startsWith(seen))).toSorted((a, b) => (a.at < b.at ? -1 : 1))
  const about = reading.filter((look) => look.key === key)
  return about.length > 0 ? about : reading
}

/** A look that did, said or failed at something; the others only found that all was well. */
export function isEventful({ results, error, plan }: TracedLook): boolean {
  return (
    (results ?? plan?.steps.flatMap(({ operations }) => operations) ?? []).length > 0 ||
    error !== undefined ||
    (plan?.waitingFor.length ?? 0) > 0
  )
}

/** The last look of each loop: what each thinks of the object now. */
export function lastLooks(looks: readonly TracedLook[]): readonly TracedLook[] {
  const byLoop = new Map<string, TracedLook>()
  for (const look of looks) byLoop.set(`${look.controller} ${look.key}`, look)
  return [...byLoop.values()]
}
