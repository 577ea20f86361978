import { Duplex } from "node:stream"
import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { PodDialer } from "../dialer/pod-dialer.ts"
import { loopbackCounters } from "./counters.ts"
import { HealthChecks } from "./health-checks.ts"
import { type Target, Targets } from "./targets.ts"

const one: Target = { address: "10.0.0.1", port: 80 }
const two: Target = { address: "10.0.0.2", port: 80 }

/** Two endpoints; `state` says whether they answer, and when they were asked. */
function checked(metrics = memoryMetrics()) {
  const clock = new VirtualClock()
  const targets = new Targets(clock)
  targets.set([one, two])
  const state = { answers: false, hangs: false, asked: [] as number[], closed: 0 }
  const dialer: PodDialer = {
    async dial(_address, _port, signal) {
      state.asked.push(clock.elapsed())
      if (state.hangs) await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("too long"))))
      if (!state.answers) throw new Error("refused")
      return new Duplex({ read() {}, destroy: (error, done) => (state.closed++, done(error)) })
    },
    open: () => expect.fail("no datagram is sent"),
  }
  const health = new HealthChecks({ service: "default/web", dialer, targets, counters: loopbackCounters(metrics), clock })
  const chosen = () => [...targets.choose("client")].map(({ address }) => address)
  return { clock, metrics, targets, state, health, chosen }
}

test("an endpoint that refused gets no connection until it answers, and then at once", async () => {
  const { clock, metrics, state, health, chosen } = checked()
  health.failed(one)
  health.failed(one)
  await clock.advance(2500)
  expect(state.asked).toEqual([1000, 2000])
  expect([chosen()[0], chosen()[0]]).toEqual([two.address, two.address])
  expect(metrics.value("pilothouse_loopback_endpoints_down", { service: "default/web" })).toBe(1)
  state.answers = true
  await clock.advance(600)
  expect(new Set([chosen()[0], chosen()[0]])).toEqual(new Set([one.address, two.address]))
  expect([state.closed, metrics.value("pilothouse_loopback_endpoints_down", { service: "default/web" })]).toEqual([1, 0])
  await clock.advance(60_000)
  expect(state.asked).toHaveLength(3)
})

test("counts endpoints that are down at one port, whatever happens at the other ports of the Service", async () => {
  const first = checked()
  const second = checked(first.metrics)
  const third = checked(first.metrics)
  const down = () => first.metrics.value("pilothouse_loopback_endpoints_down", { service: "default/web" })
  for (const { health } of [first, second, third]) health.failed(one)
  expect(down()).toBe(3)
  second.state.answers = true
  await second.clock.advance(1500)
  third.health.stop()
  expect(down()).toBe(1)
  first.health.stop()
  expect(down()).toBe(0)
})

test("where all are down they are tried nevertheless", () => {
  const { health, chosen } = checked()
  health.failed(one)
  health.failed(two)
  expect(chosen().toSorted()).toEqual([one.address, two.address])
})

test("one that is no endpoint any more is asked no more", async () => {
  const { clock, targets, state, health } = checked()
  health.failed(one)
  targets.set([two])
  await clock.advance(10_000)
  expect([state.asked, clock.waiting()]).toEqual([[], []])
})

test("one that does not answer at all is asked again after 3 s", async () => {
  const { clock, state, health } = checked()
  state.hangs = true
  health.failed(one)
  await clock.advance(5500)
  expect(state.asked).toEqual([1000, 5000])
  health.stop()
})

test("nothing is asked after the end", async () => {
  const { clock, state, health } = checked()
  health.failed(one)
  health.stop()
  health.failed(two)
  await clock.advance(10_000)
  expect([state.asked, clock.waiting()]).toEqual([[], []])
})
