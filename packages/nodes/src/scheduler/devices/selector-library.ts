import type { DeviceSelectors } from "@pilothouse/cel/kubernetes"
import type { Clock } from "@pilothouse/seams"
import type { PoolDevice } from "./pools.ts"

/** The expressions of selectors. Their language is loaded for the first pod whose devices are to be found: most clusters have none. */
export class SelectorLibrary {
  readonly #clock: Clock | undefined
  #selectors: DeviceSelectors | undefined

  constructor(clock: Clock | undefined) {
    this.#clock = clock
  }

  get isLoaded(): boolean {
    return this.#selectors !== undefined
  }

  async load(): Promise<void> {
    const loading = import("@pilothouse/cel/kubernetes")
    const { DeviceSelectors: Selectors } = await (this.#clock?.external(loading, "loading the Common Expression Language") ?? loading)
    this.#selectors ??= new Selectors()
  }

  /** Whether the expression selects the device; throws where that cannot be said. `spend` gets what the evaluation cost. */
  selects(expression: string, { device, slice }: PoolDevice, spend: (cost: number) => void): boolean {
    if (this.#selectors === undefined)
      throw new Error("expected the Common Expression Language to be loaded, found it is not; await load()")
    return this.#selectors.of(expression).matches({ driver: slice.spec.driver, ...device }, spend)
  }
}
