import { exponentialLimiter, WorkQueue } from "@pilothouse/runtime"
import { systemClock } from "@pilothouse/seams/system"
import type { Bench, Row } from "../bench.ts"
import { cpuOf } from "./sample-pods.ts"

const goal = 1_000_000

/** How many keys go through a work queue in a second: added, taken, done? */
export const bench: Bench = {
  name: "work queue: add, get, done",
  async run(): Promise<readonly Row[]> {
    const queue = new WorkQueue({ name: "bench", clock: systemClock, limiter: exponentialLimiter() })
    const keys = Array.from({ length: 1000 }, (_, at) => `default/pod-${at}`)
    const count = 500_000
    const many = Array.from({ length: 100_000 }, (_, at) => `default/pod-${at}`)
    const { single, deep } = await cpuOf(5, {
      async single() {
        for (let at = 0; at < count; at++) {
          queue.add(keys[at % keys.length]!)
          queue.done((await queue.next()) ?? "")
        }
      },
      async deep() {
        for (const key of many) queue.add(key)
        for (const _ of many) queue.done((await queue.next()) ?? "")
      },
    })
    const perSecond = (count / single) * 1000
    return [
      { what: "queue add/get/done", ours: perSecond, unit: "keys per CPU-second", goal: `≥ ${goal}`, met: perSecond >= goal },
      { what: "queue add/get/done, 100,000 keys waiting", ours: (many.length / deep) * 1000, unit: "keys per CPU-second" },
    ]
  },
}
