import { noMetrics, recordingLog, seededRandom, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { ControllerRunner } from "../controller/controller-runner.ts"
import { RunningControllers, runControllers } from "./run-controllers.ts"

function worker(name: string, run: ControllerRunner["run"]): ControllerRunner {
  return { name, active: [], run } as unknown as ControllerRunner
}

/** A controller that ends at its stop signal. */
const obedient: ControllerRunner["run"] = (stop) =>
  new Promise((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }))

function options(runners: readonly ControllerRunner[], startInterval = 0) {
  const clock = new VirtualClock()
  const running = new RunningControllers(noMetrics)
  return { runners, clock, random: seededRandom(1), log: recordingLog().log, startInterval, grace: "10s" as const, running }
}

test("a controller that throws stops the others, and its error is thrown", async () => {
  const broken = worker("broken", () => Promise.reject(new Error("broken controller")))
  const given = options([worker("healthy", obedient), broken])
  const { signal } = new AbortController()
  await expect(given.clock.run(runControllers(given, { stop: signal }))).rejects.toThrow("broken controller")
  expect([given.running.has("healthy"), given.running.has("broken")]).toEqual([false, false])
})

test("a controller that throws keeps waiting ones from starting", async () => {
  let started = false
  const second = worker("second", async () => {
    started = true
  })
  const given = options([worker("broken", () => Promise.reject(new Error("broken controller"))), second], 60_000)
  await expect(given.clock.run(runControllers(given, { stop: new AbortController().signal }))).rejects.toThrow("broken controller")
  expect({ started, took: given.clock.elapsed() }).toEqual({ started: false, took: 0 })
})

test("a controller that throws leaves the others their grace period", async () => {
  const stubborn = worker("stubborn", (_, cut) => obedient(cut ?? new AbortController().signal))
  const given = options([stubborn, worker("broken", () => Promise.reject(new Error("broken controller")))])
  await expect(given.clock.run(runControllers(given, { stop: new AbortController().signal }))).rejects.toThrow("broken controller")
  expect(given.clock.elapsed()).toBe(10_000)
})
