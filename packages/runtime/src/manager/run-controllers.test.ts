import { noMetrics, recordingLog, seededRandom, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { ControllerRunner } from "../controller/controller-runner.ts"
import { RunningControllers, runControllers } from "./run-controllers.ts"

function worker(name: string, run: ControllerRunner["run"]): ControllerRunner {
  return { name, active: [], run } as unknown as ControllerRunner
}

/** A loop that ends when it is asked to, as loops should. */
const obedient: ControllerRunner["run"] = (stop) =>
  new Promise((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }))

function options(runners: readonly ControllerRunner[], startInterval = 0) {
  const clock = new VirtualClock()
  const running = new RunningControllers(noMetrics)
  return { runners, clock, random: seededRandom(1), log: recordingLog().log, startInterval, grace: "10s", running }
}

test("a loop that failed takes the others with it, and its error is told", async () => {
  const broken = worker("broken", () => Promise.reject(new Error("broken loop")))
  const given = options([worker("healthy", obedient), broken])
  const { signal } = new AbortController()
  await expect(given.clock.run(runControllers(given, { stop: signal }))).rejects.toThrow("broken loop")
  expect([given.running.has("healthy"), given.running.has("broken")]).toEqual([false, false])
})

test("a loop that failed while the next waits for its start keeps that from starting", async () => {
  let started = false
  const second = worker("second", async () => {
    started = true
  })
  const given = options([worker("broken", () => Promise.reject(new Error("broken loop"))), second], 60_000)
  await expect(given.clock.run(runControllers(given, { stop: new AbortController().signal }))).rejects.toThrow("broken loop")
  expect({ started, took: given.clock.elapsed() }).toEqual({ started: false, took: 0 })
})

test("a loop that failed gives the others their grace period, and no more", async () => {
  const stubborn = worker("stubborn", (_, cut) => obedient(cut ?? new AbortController().signal))
  const given = options([stubborn, worker("broken", () => Promise.reject(new Error("broken loop")))])
  await expect(given.clock.run(runControllers(given, { stop: new AbortController().signal }))).rejects.toThrow("broken loop")
  expect(given.clock.elapsed()).toBe(10_000)
})
