import type { Gauge, Labels } from "@pilothouse/seams"

/**
 * How many objects there are of each kind, as a gauge by labels that says so.
 * Always true between calls: the gauge of each set of labels is the number of objects that were last told with it; labels that no object has are not told of.
 */
export class ObjectCountGauge {
  readonly #gauge: Gauge
  readonly #labels = new Map<string, Labels>()
  readonly #counts = new Map<string, number>()

  constructor(gauge: Gauge) {
    this.#gauge = gauge
  }

  /** Undefined: it is gone, or not counted any more. */
  set(key: string, labels: Labels | undefined): void {
    const before = this.#labels.get(key)
    if (labels === undefined) this.#labels.delete(key)
    else {
      this.#labels.set(key, labels)
      this.#add(labels, 1)
    }
    if (before !== undefined) this.#add(before, -1)
  }

  restart(): void {
    for (const key of this.#labels.keys()) this.set(key, undefined)
  }

  #add(labels: Labels, amount: number): void {
    const text = JSON.stringify(labels)
    const count = (this.#counts.get(text) ?? 0) + amount
    if (count === 0) this.#counts.delete(text)
    else this.#counts.set(text, count)
    // What its labels name may be gone for ever: a gauge by namespaces would grow with every one that there ever was.
    if (count === 0 && Object.keys(labels).length > 0) this.#gauge.remove(labels)
    else this.#gauge.set(count, labels)
  }
}
