import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { testManager } from "../manager/testing/manager.ts"
import { controller, type EventSource } from "./controller.ts"
import { plan } from "./plan/plan-builder.ts"

test("an event source enqueues a key until the controller has ended", async () => {
  const listeners = new Set<Parameters<EventSource["listen"]>[0]>()
  const alarm: EventSource = {
    listen: (enqueue) => {
      listeners.add(enqueue)
      return { [Symbol.dispose]: () => void listeners.delete(enqueue) }
    },
  }
  const looker = controller<ConfigMap>("looker", {
    for: configMaps,
    sources: [alarm],
    observe: (key, read) => read.get(configMaps, key),
    decide: () => plan().nothing("it is only a test"),
  })
  const running = await testManager([looker])
  await running.server.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } })
  await running.server.settled()
  for (const enqueue of listeners) enqueue("default/a", "a process has ended")
  await running.server.settled()
  expect(running.reconciles().filter((look) => look.startsWith("default/a"))).toEqual([
    "default/a: ConfigMap added",
    "default/a: a process has ended",
  ])
  await running[Symbol.asyncDispose]()
  expect(listeners.size).toBe(0)
})
