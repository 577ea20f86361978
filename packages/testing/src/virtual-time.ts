import { milliseconds, PilothouseError, VirtualClock } from "@pilothouse/seams"
import type { ClusterOptions, Condition } from "./cluster-options.ts"
import type { Controllers } from "./start-controllers.ts"
import { whoWaits } from "./who-waits.ts"

/** Undefined: real time. */
export function virtualClock({ time, start }: ClusterOptions): VirtualClock | undefined {
  return time === "real" ? undefined : new VirtualClock({ start: start === undefined ? undefined : startOf(start) })
}

function startOf(start: string): number {
  const found = Date.parse(start)
  if (!Number.isNaN(found)) return found
  throw new PilothouseError("INVALID", `expected a time such as "2026-01-05T23:30:00Z" as the start of the cluster, found "${start}"`)
}

/** Lets time pass until the condition holds. */
export async function until(clock: VirtualClock, condition: Condition, controllers: Controllers): Promise<void> {
  const deadline = clock.elapsed() + milliseconds("1h")
  await clock.settle()
  while (!(await run(clock, Promise.resolve(condition())))) {
    controllers.refuseHot()
    if (clock.elapsed() >= deadline) throw conditionTimeout(clock, controllers)
    const before = clock.elapsed()
    await clock.run(() => clock.elapsed() > before)
    await clock.settle()
  }
}

function conditionTimeout(clock: VirtualClock, controllers: Controllers): PilothouseError {
  const lines = whoWaits(controllers.manager().trace.entries(), clock.waiting(), clock.now())
  return new PilothouseError("CLOCK_LIMIT", ["the condition did not come true within an hour; who waits for what:", ...lines].join("\n  "))
}

/** Ends with the work, which needs time to pass where time is virtual. */
export async function run<T>(clock: VirtualClock | undefined, work: Promise<T>): Promise<T> {
  if (clock !== undefined) await clock.run(work)
  return work
}

export function needVirtual(clock: VirtualClock | undefined, method: string): VirtualClock {
  if (clock === undefined)
    throw new PilothouseError(
      "INVALID",
      `${method}() moves virtual time, and this cluster runs in real time; make it with { time: "virtual" }`,
    )
  return clock
}
