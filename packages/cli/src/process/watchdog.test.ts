import { readFileSync } from "node:fs"
import { join } from "node:path"
import { memoryMetrics, recordingLog, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { LastReconcile, LastRequest, watchEventLoop } from "./watchdog.ts"

/** A clock whose one timer fires when the test says so. */
function manualClock() {
  let [now, fire] = [1000, () => {}]
  let disposed = 0
  const clock = {
    now: () => now,
    elapsed: () => now,
    sleep: () => Promise.resolve(),
    timer: (_milliseconds: number, _name: string, callback: () => void) => {
      fire = callback
      return { [Symbol.dispose]: () => void disposed++ }
    },
    external: <T>(work: Promise<T>) => work,
  }
  const pass = (milliseconds: number) => {
    now += milliseconds
    fire()
  }
  return { clock, pass, disposed: () => disposed }
}

test("a blocked event loop is measured, and logged with the last request", async () => {
  const { clock, pass } = manualClock()
  const { log, lines } = recordingLog()
  const metrics = memoryMetrics()
  const lastRequest = new LastRequest()
  using _ = watchEventLoop({ clock, log, metrics, lastRequest })
  const transport = lastRequest.noted(async () => ({ status: 200, headers: {}, body: valueBody({}) }))
  await transport({ verb: "POST", path: "/api/v1/namespaces/default/pods", query: { secret: "x" }, headers: {} })
  pass(55)
  expect(lines).toEqual([])
  pass(150)
  expect(lines).toEqual([])
  pass(1250)
  expect(lines).toMatchObject([
    {
      level: "warn",
      message: "the event loop was blocked",
      fields: { milliseconds: 1200, lastRequest: "POST /api/v1/namespaces/default/pods" },
    },
  ])
  pass(50)
  expect(metrics.text()).toContain("pilothouse_event_loop_longest_stall_seconds 1.2\n")
  expect(metrics.text()).toContain("pilothouse_event_loop_stall_seconds_count 2\n")
  expect(metrics.text()).toContain("pilothouse_event_loop_stall_seconds_sum 1.3\n")
})

test("the log of a blocked event loop names the controller and the key that were handled last", () => {
  const { clock, pass } = manualClock()
  const { log, lines } = recordingLog()
  const [lastRequest, lastReconcile] = [new LastRequest(), new LastReconcile()]
  using _ = watchEventLoop({ clock, log, metrics: memoryMetrics(), lastRequest, lastReconcile })
  pass(550)
  lastReconcile.note("deployment", "default/web")
  pass(550)
  expect(lines.map(({ fields }) => fields)).toMatchObject([
    { milliseconds: 500, lastRequest: "none yet", lastReconcile: "none yet" },
    { milliseconds: 500, lastRequest: "none yet", lastReconcile: "deployment default/web" },
  ])
})

test("it ends when it is disposed", () => {
  const { clock, disposed } = manualClock()
  watchEventLoop({ clock, log: recordingLog().log, metrics: memoryMetrics() })[Symbol.dispose]()
  expect(disposed()).toBe(1)
})

test("docs/reference/metrics.md has exactly its metrics, with their type and meaning", () => {
  const metrics = memoryMetrics()
  watchEventLoop({ clock: manualClock().clock, log: recordingLog().log, metrics })[Symbol.dispose]()
  const families = [...metrics.text().matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)]
  const text = readFileSync(join(import.meta.dirname, "../../../../docs/reference/metrics.md"), "utf8")
  const [, section = ""] = text.split("\n### The process\n")
  const rows = section.split("\n").filter((line) => line.startsWith("| `"))
  expect(rows).toEqual(families.map(([, name, meaning, type]) => `| \`${name}\` | ${type} |  | ${meaning} |`))
})
