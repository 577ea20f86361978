import { expect, test } from "vitest"
import { ProcessMeter } from "./process-use.ts"

const mebi = 2 ** 20
const never = () => {
  throw new Error("it was measured already")
}

test("before it was measured a process uses what it used since its start", () => {
  const meter = new ProcessMeter(1000)
  expect(meter.usage(() => ({ cpu: 2, memory: 3 * mebi }), 5000)).toEqual({ cpu: 0.5, memory: 3 * mebi })
  expect(meter.usage(() => ({ cpu: 0, memory: mebi }), 1000)).toBeUndefined()
  expect(meter.usage(() => undefined, 5000)).toBeUndefined()
})

test("then what it used in the last whole period", () => {
  const meter = new ProcessMeter(0)
  meter.take({ cpu: 1, memory: mebi }, 10_000)
  expect(meter.usage(never, 12_000)).toEqual({ cpu: 0.1, memory: mebi })
  meter.take({ cpu: 11, memory: 2 * mebi }, 20_000)
  expect(meter.usage(never, 29_000)).toEqual({ cpu: 1, memory: 2 * mebi })
})

test("what has ended takes its part with it: that is not less than nothing", () => {
  const meter = new ProcessMeter(0)
  meter.take({ cpu: 5, memory: mebi }, 10_000)
  meter.take({ cpu: 2, memory: mebi }, 20_000)
  expect(meter.usage(never, 21_000)).toEqual({ cpu: 0, memory: mebi })
})

test("two measurements of one moment are one", () => {
  const meter = new ProcessMeter(0)
  meter.take({ cpu: 1, memory: mebi }, 10_000)
  meter.take({ cpu: 1, memory: mebi }, 10_000)
  expect(meter.usage(never, 10_000)).toEqual({ cpu: 0.1, memory: mebi })
})
