import { memoryMetrics, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { countersOf } from "./counters.ts"
import { openPort } from "./open-port.ts"
import type { PodDialer } from "./pod-dialer.ts"
import { Targets } from "./targets.ts"
import { ask } from "./test-traffic.ts"

test("nobody asks after the endpoints of a port that is closed", async () => {
  const clock = new VirtualClock()
  const targets = new Targets(clock)
  targets.set([{ address: "10.0.0.1", port: 80 }])
  const dialer: PodDialer = {
    dial: () => Promise.reject(new Error("connection refused")),
    open: () => expect.fail("nobody sends datagrams"),
  }
  const options = { address: "127.0.0.1", service: "default/web", dialer, counters: countersOf(memoryMetrics()), clock, log: silentLog }
  const port = await openPort("TCP", 0, { ...options, drain: 1000, targets, admits: () => true })
  await expect(ask("127.0.0.1", port.bound, "hello")).rejects.toMatchObject({ code: "ECONNRESET" })
  expect(clock.waiting()).toHaveLength(1)
  await port.close()
  expect(clock.waiting()).toEqual([])
})
