import type { KubeObject } from "@pilothouse/api"
import type { ResourceConversion } from "../resources/resource.ts"
import type { Change } from "../storage/storage.ts"

export interface ConvertedChangesOptions {
  readonly conversion: Pick<ResourceConversion, "decodeOnce">
  /** How many steps may wait for a conversion. */
  readonly limit: number
  /** More wait than may. */
  onOverflow(): void
  /** A change could not be converted: nothing behind it is run. */
  onFailure(error: unknown): void
}

interface Step {
  readonly change: Change | undefined
  run(): void
}

/**
 * The steps of one watch whose objects a webhook converts. While one conversion is under way the changes behind it gather, and the next one takes all of
 * them.
 *
 * Invariant: steps run in the order they came in, each when its objects are at hand; at most the limit waits.
 */
export class ConvertedChanges {
  readonly #options: ConvertedChangesOptions
  #waiting: Step[] = []
  #converting = false
  #ended = false

  constructor(options: ConvertedChangesOptions) {
    this.#options = options
  }

  /** Runs a step when the objects of a change are converted; one without a change, such as a bookmark, behind those before it. `isReplay`: of the past, which no bound ends. */
  add(change: Change | undefined, run: () => void, isReplay = false): void {
    if (this.#ended) return
    if (!isReplay && this.#waiting.length >= this.#options.limit) return this.#end(() => this.#options.onOverflow())
    this.#waiting.push({ change, run })
    if (!this.#converting) void this.#convert()
  }

  async #convert(): Promise<void> {
    this.#converting = true
    while (this.#waiting.length > 0) {
      const steps = this.#waiting
      this.#waiting = []
      try {
        await this.#options.conversion.decodeOnce(steps.flatMap(({ change }) => objectsOf(change)))
        if (this.#ended) return
        for (const { run } of steps) run()
      } catch (error) {
        this.#end(() => this.#options.onFailure(error))
      }
    }
    this.#converting = false
  }

  #end(notify: () => void): void {
    if (this.#ended) return
    this.#ended = true
    this.#waiting = []
    notify()
  }
}

function objectsOf(change: Change | undefined): readonly KubeObject[] {
  if (change === undefined) return []
  return change.previous === undefined ? [change.value] : [change.value, change.previous.value]
}
