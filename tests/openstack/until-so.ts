import { systemClock } from "@pilothouse/seams/system"

/** Less than a row has in all (vitest.config.ts), so that it says what it waited for. */
const limit = 240_000

/** Looks at most a quarter of the time: a cloud that is asked without pause does little else. */
export async function untilSo(condition: () => Promise<boolean>): Promise<void> {
  const began = systemClock.elapsed()
  for (;;) {
    const since = systemClock.elapsed()
    if (await condition()) return
    const now = systemClock.elapsed()
    if (now - began > limit) throw new Error(`expected something that did not come about in ${limit / 1000} s`)
    await systemClock.sleep(Math.max(100, 3 * (now - since)))
  }
}
