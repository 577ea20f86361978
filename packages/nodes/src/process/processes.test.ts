import type { Pod } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { Processes } from "./processes.ts"
import type { SpawnProcess } from "./system/spawn.ts"
import { fakeHost } from "./testing/spawn.ts"

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", uid: "u" },
  spec: { nodeName: "node-1", containers: [{ name: "main", image: "process", command: ["serve"] }] },
}
const order = { do: "start-process", pod, container: "main", run: 0 } as const

function made(spawnAfter: Promise<void> = Promise.resolve()) {
  const host = fakeHost()
  const spawn: SpawnProcess = (call, listener) => spawnAfter.then(() => host.spawn(call, listener))
  // Nothing of its environment is to be asked for.
  const client = () => ({}) as Client
  const clock = new VirtualClock()
  return { host, clock, processes: new Processes({ spawn, probe: host.probe, clock, client }) }
}

test("a process that is stopped while it starts ends", async () => {
  const ready = Promise.withResolvers<void>()
  const { host, clock, processes } = made(ready.promise)
  const started = processes.start(order)
  await Promise.resolve()
  processes.stop(order, clock.now() + 5000)
  ready.resolve()
  await started
  expect(host.started[0]?.signals).toEqual(["SIGTERM"])
})

test("the whole cluster was gone before the search for what its processes had left behind had ended", async () => {
  const { host, clock, processes } = made()
  host.stubborn = true
  await processes.start(order)
  let isGone = false
  const ended = processes[Symbol.asyncDispose]().then(() => (isGone = true))
  await clock.advance("6s")
  expect([host.started[0]?.signals, isGone]).toEqual([["SIGTERM", "SIGKILL"], false])
  host.started[0]?.end({ exitCode: 137 })
  await ended
  expect(clock.elapsed()).toBe(6000)
})

test("a process that cannot be ended holds the whole cluster for less than the 8 s of a stop", async () => {
  const { host, clock, processes } = made()
  host.stubborn = true
  await processes.start(order)
  const ended = processes[Symbol.asyncDispose]()
  await clock.advance("7s")
  await ended
})

test("a process was started after all had been ended", async () => {
  const { host, processes } = made()
  const ended = processes[Symbol.asyncDispose]()
  await processes.start(order)
  await ended
  expect(host.started).toEqual([])
  expect(processes.of(pod, false).run("main", 0)?.failure?.message).toBe("the cluster stops")
})
