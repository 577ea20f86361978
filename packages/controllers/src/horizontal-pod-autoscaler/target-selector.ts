import { matchesLabels, parseLabelSelector, type Selector, splitKey } from "@pilothouse/api"
import type { Scale } from "@pilothouse/api/autoscaling/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { messageOf } from "@pilothouse/seams"
import { selectorBuckets } from "../shared/selector-index.ts"

/**
 * Which pods each autoscaler scales, as of its last reconcile: its own spec does not say it, only its target does.
 * Invariant: an autoscaler stands under the buckets of its selector and nowhere else.
 */
export class KnownSelectors {
  readonly #selectors = new Map<string, Selector>()
  readonly #byBucket = new Map<string, Set<string>>()

  learn(key: string, selector: Selector): void {
    this.forget(key)
    this.#selectors.set(key, selector)
    for (const bucket of bucketsIn(key, selector)) {
      const keys = this.#byBucket.get(bucket) ?? new Set()
      this.#byBucket.set(bucket, keys.add(key))
    }
  }

  forget(key: string): void {
    const known = this.#selectors.get(key)
    if (known === undefined) return
    this.#selectors.delete(key)
    for (const bucket of bucketsIn(key, known)) {
      const keys = this.#byBucket.get(bucket)
      keys?.delete(key)
      if (keys?.size === 0) this.#byBucket.delete(bucket)
    }
  }

  restart(): void {
    this.#selectors.clear()
    this.#byBucket.clear()
  }

  /** Every autoscaler of the namespace that scales one of the pods, by key and in order. */
  scaling(pods: readonly Pod[]): readonly string[] {
    const found = new Set<string>()
    for (const { metadata } of pods) {
      const labels = Object.entries(metadata.labels ?? {}).map(([name, value]) => `${name}=${value}`)
      for (const bucket of ["*", ...labels]) {
        for (const key of this.#byBucket.get(`${metadata.namespace}/${bucket}`) ?? [])
          if (!found.has(key) && matchesLabels(this.#selectors.get(key)!, metadata.labels)) found.add(key)
      }
    }
    return [...found].sort()
  }
}

function bucketsIn(key: string, selector: Selector): readonly string[] {
  return selectorBuckets(selector).map((bucket) => `${splitKey(key).namespace}/${bucket}`)
}

/** Why the pods of a target are not known. */
export interface SelectorProblem {
  /** Of the event. */
  readonly event: string
  /** Of the condition ScalingActive. */
  readonly reason: string
  readonly message: string
  /** What the condition says, where it is not the message. */
  readonly condition?: string
}

/** Returns the selector of the target's pods. */
export function targetSelector({ status }: Scale): Selector | { readonly problem: SelectorProblem } {
  const text = status?.selector ?? ""
  if (text === "") {
    const condition = "the HPA target's scale is missing a selector"
    return { problem: { event: "SelectorRequired", reason: "InvalidSelector", message: "selector is required", condition } }
  }
  try {
    return parseLabelSelector(text)
  } catch (error) {
    const message = `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`
    return { problem: { event: "InvalidSelector", reason: "InvalidSelector", message } }
  }
}

/** Two autoscalers that pull at the same pods would fight. */
export function ambiguous({ status }: Scale, rivals: readonly string[]): SelectorProblem {
  const message = `pods by selector ${status?.selector} are controlled by multiple HPAs: [${rivals.join(" ")}]`
  return { event: "AmbiguousSelector", reason: "AmbiguousSelector", message }
}
