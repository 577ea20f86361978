import { type ConfigMap, configMaps, secrets } from "@pilothouse/api/core/v1"
import { type Gauge, type MetricOptions, memoryMetrics, PilothouseError } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { testManager } from "../manager/testing/manager.ts"
import type { Plan } from "./plan/plan.ts"
import { plan } from "./plan/plan-builder.ts"
import { configMap, configMapController } from "./testing/config-map-controller.ts"

describe("how many at once", () => {
  /** Each reconcile takes a second; counts concurrent reconciles. */
  async function openLooks(
    concurrency: number | undefined,
    write: (apply: (object: ConfigMap) => Promise<unknown>) => Promise<void>,
  ): Promise<{ all: number; ofOneKey: number; looks: number }> {
    const open = new Map<string, number>()
    const max = { all: 0, ofOneKey: 0, looks: 0 }
    const slow = configMapController({
      maxConcurrentReconciles: concurrency,
      async observe(key, read) {
        if (!key.startsWith("default/c")) return undefined
        max.looks++
        open.set(key, (open.get(key) ?? 0) + 1)
        max.all = Math.max(
          max.all,
          [...open.values()].reduce((sum, count) => sum + count, 0),
        )
        max.ofOneKey = Math.max(max.ofOneKey, open.get(key) ?? 0)
        await running.clock.sleep(1000)
        open.set(key, (open.get(key) ?? 0) - 1)
        return read.get(configMaps, key)
      },
    })
    const running = await testManager([slow])
    await using _running = running
    await write((object) => running.server.apply(object))
    await running.server.advance("1m")
    return max
  }

  test("different keys up to the controller's limit", async () => {
    const many = async (apply: (object: ConfigMap) => Promise<unknown>) => {
      for (let count = 0; count < 8; count++) await apply(configMap(`c${count}`))
    }
    expect(await openLooks(3, many)).toEqual({ all: 3, ofOneKey: 1, looks: 8 })
    expect(await openLooks(undefined, many)).toEqual({ all: 5, ofOneKey: 1, looks: 8 })
  })

  test("one key never twice, and a change meanwhile is looked at afterwards", async () => {
    const often = async (apply: (object: ConfigMap) => Promise<unknown>) => {
      for (let count = 0; count < 5; count++) await apply(configMap("c", { count: `${count}` }))
    }
    const { ofOneKey, looks } = await openLooks(5, often)
    expect({ ofOneKey, looks }).toEqual({ ofOneKey: 1, looks: 1 + 1 })
  })
})

test("the trace has the causes, the reads, the decision and the results", async () => {
  const copier = configMapController({
    decide: (found) =>
      found.data?.done ? plan().nothing("it is done") : plan().patch(found, { data: { done: "yes" } }, "it was not done"),
  })
  await using running = await testManager([copier])
  await running.server.apply(configMap("a"))
  await running.server.settled()
  const [first, second] = running.manager.trace.entries().filter(({ key }) => key === "default/a")
  expect(first).toMatchObject({
    controller: "looker",
    causes: ["ConfigMap added"],
    observed: [expect.stringMatching(/^ConfigMap default\/a@\d+$/)],
  })
  expect(first?.results).toMatchObject([{ ok: true, operation: { do: "patch", reason: "it was not done" } }])
  expect(second).toMatchObject({ causes: ["ConfigMap updated"], results: [], plan: { summary: "it is done" } })
})

test("the trace tells when it is looked at again, how often it failed in a row, and that it was given up", async () => {
  const outcomes: readonly (() => Plan)[] = [
    () => plan().requeueAfter("30s", "test"),
    () => plan().update(configMap("none"), "test"),
    () => plan().update(configMap("none"), "test"),
    () => plan().nothing("all is well"),
    () => raise(new PilothouseError("TERMINAL", "never")),
  ]
  let looks = 0
  const changing = configMapController({
    observe: (key, read) => (key === "default/a" ? read.get(configMaps, key) : undefined),
    decide: () => outcomes[looks++]!(),
  })
  await using running = await testManager([changing])
  const start = running.clock.now()
  await running.server.apply(configMap("a"))
  await running.server.advance("1m")
  await running.server.apply(configMap("a", { changed: "yes" }))
  await running.server.settled()
  const told = running.manager.trace.entries().filter(({ key }) => key === "default/a")
  expect(told.map(({ failures, givenUp, nextAt }) => ({ failures, givenUp, nextAt: nextAt && nextAt - start }))).toEqual([
    { nextAt: 30_000 },
    { failures: 1, nextAt: 30_005 },
    { failures: 2, nextAt: 30_015 },
    {},
    { failures: 1, givenUp: true },
  ])
})

function raise(error: unknown): never {
  throw error
}

test("events of a plan are said only when its operations have succeeded", async () => {
  const teller = configMapController({
    decide: (found) => plan().update(configMap("none"), "test").event(found, "Normal", "Updated", "it was updated"),
  })
  await using running = await testManager([teller])
  await running.server.apply(configMap("a"))
  await running.server.advance("10s")
  const { events } = await import("@pilothouse/api/core/v1")
  expect(await running.server.list(events)).toEqual([])
})

test("reading a kind that was not declared says what to do", async () => {
  await using running = await testManager([configMapController({ observe: (key, read) => read.get(secrets, key) as unknown as ConfigMap })])
  await running.server.apply(configMap("a"))
  await running.server.settled()
  expect(running.manager.trace.entries().at(-1)?.error).toBe(
    "the controller looker reads secrets but does not declare it; add it to its owns, watches or reads",
  )
})

test("a concurrency of 0 is refused where it is written", () => {
  expect(() => configMapController({ maxConcurrentReconciles: 0 })).toThrow(
    "expected a whole number above 0 as the maxConcurrentReconciles of the controller looker, found 0",
  )
})

test("a reconcile that throws ends the others before the error is thrown", async () => {
  const inner = memoryMetrics()
  const metrics = {
    ...inner,
    gauge: (options: MetricOptions) => {
      const gauge = inner.gauge(options)
      const broken = options.name === "controller_runtime_active_workers"
      const set: Gauge["set"] = (value, labels) => {
        if (broken && armed && value === 2) throw new Error("the gauge is broken")
        gauge.set(value, labels)
      }
      return { ...gauge, set }
    },
  }
  let [armed, ended] = [false, false]
  const slow = configMapController({
    maxConcurrentReconciles: 2,
    async observe(key) {
      if (key !== "default/slow") return undefined
      await clock.sleep(5000)
      ended = true
      return undefined
    },
  })
  const running = await testManager([slow], { metrics })
  const { clock } = running
  await running.server.apply(configMap("slow"))
  await running.server.settled()
  armed = true
  await running.server.apply(configMap("other"))
  await running.server.advance("6s")
  await expect(running.stop()).rejects.toThrow("the gauge is broken")
  expect(ended).toBe(true)
  await running.server.close()
})
