import { PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { Clock } from "@pilothouse/seams"

/**
 * Bytes for new objects, in two halves. V8 goes up to 32 MB and more while a large state is read, and keeps it.
 *
 * What it buys: 10,000 pods in 100 MB in place of 150 and more (benches/discovery.ts, the row "memory, 100 Services × 100 pods", goal ≤ 0.6 × istiod's,
 * which is 105 MB). Without it the goal is missed.
 */
const limit = 8 * 1024 * 1024

/** Milliseconds after the first state was read: clients that waited for it are served first. */
const untilCollected = 1_000

/**
 * Stops V8 from enlarging the space for new objects past a limit. Checks after each collection until the limit is reached, and costs nothing from
 * then on, nor while nothing is collected.
 */
export function limitYoungGeneration(bytes = limit): Disposable {
  setFlagsFromString("--semi-space-growth-factor=2")
  const observer = new PerformanceObserver(() => {
    if (youngGenerationSize() < bytes) return
    setFlagsFromString("--semi-space-growth-factor=1")
    observer.disconnect()
  })
  observer.observe({ entryTypes: ["gc"] })
  return { [Symbol.dispose]: () => observer.disconnect() }
}

/** The state was read: collects what that left behind, 14 MB for 10,000 pods, and limits the room for new objects from there on. */
export function settleAfterFirstState(clock: Clock): Disposable {
  const held = new DisposableStack()
  held.use(
    clock.timer(untilCollected, "garbage of the first state", () => {
      collectGarbage()
      held.use(limitYoungGeneration())
    }),
  )
  return held
}

/** The memory that V8 has from the system for new objects. */
function youngGenerationSize(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0
}

type Collect = (options: { readonly type: "major"; readonly execution: "sync"; readonly flavor: "last-resort" }) => void

/**
 * Collects everything that is not used any more, and returns the memory to the system, which V8 does not do while nothing more is made. Node has no
 * call for it: V8's own is there once a flag says so, which may be set while the program runs. It takes a tenth of a second for 10,000 pods.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as Collect
  setFlagsFromString("--no-expose-gc")
  collect({ type: "major", execution: "sync", flavor: "last-resort" })
}
