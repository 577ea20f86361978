import { PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

/** Bytes, for both halves. */
const defaultLimit = 32 * 1024 * 1024

/**
 * Stops V8 from enlarging the space for new objects past a limit. Left alone it grows to more than 100 MB under load, and was not seen to be given back;
 * 10,000 pods took 356 MB so and 236 MB with the limit, for no more CPU. docs/benchmarks.md has the runs. Looks after each collection until the limit
 * is reached, and costs nothing from then on, nor while nothing is collected.
 */
export function limitYoungGeneration(limit = defaultLimit): Disposable {
  const observer = new PerformanceObserver(() => {
    if (youngGenerationSize() < limit) return
    setFlagsFromString("--semi-space-growth-factor=1")
    observer.disconnect()
  })
  observer.observe({ entryTypes: ["gc"] })
  return { [Symbol.dispose]: () => observer.disconnect() }
}

/** What V8 has of the system for new objects. */
export function youngGenerationSize(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0
}
