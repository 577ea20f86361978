import type { Gauge, Labels } from "@pilothouse/seams"

/**
 * Counts objects by a set of labels and shows the numbers as a gauge.
 * Invariant: the gauge of each set of labels is the number of objects last set with it; labels that no object has are removed.
 */
export class ObjectCountGauge {
  readonly #gauge: Gauge
  readonly #labels = new Map<string, Labels>()
  readonly #counts = new Map<string, number>()

  constructor(gauge: Gauge) {
    this.#gauge = gauge
  }

  /** Sets the labels of an object; undefined when it is deleted or not counted any more. */
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
    // What the labels name may be deleted: a gauge by namespaces would otherwise grow with every namespace that ever existed.
    if (count === 0 && Object.keys(labels).length > 0) this.#gauge.remove(labels)
    else this.#gauge.set(count, labels)
  }
}
