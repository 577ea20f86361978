import { memoryMetrics, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { PodDialer } from "../dialer/pod-dialer.ts"
import { loopbackCounters } from "../targets/counters.ts"
import { Targets } from "../targets/targets.ts"
import { ask } from "../testing/traffic.ts"
import { openPort } from "./open-port.ts"

test("a closed port no longer checks its endpoints", async () => {
  const clock = new VirtualClock()
  const targets = new Targets(clock)
  targets.set([{ address: "10.0.0.1", port: 80 }])
  const dialer: PodDialer = {
    dial: () => Promise.reject(new Error("connection refused")),
    open: () => expect.fail("no datagram is sent"),
  }
  const options = {
    address: "127.0.0.1",
    service: "default/web",
    dialer,
    counters: loopbackCounters(memoryMetrics()),
    clock,
    log: silentLog,
  }
  const port = await openPort("TCP", 0, { ...options, drain: 1000, targets, admits: () => true })
  await expect(ask("127.0.0.1", port.bound, "hello")).rejects.toMatchObject({ code: "ECONNRESET" })
  expect(clock.waiting()).toHaveLength(1)
  await port.close()
  expect(clock.waiting()).toEqual([])
})
