import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { testManager } from "../manager/testing/test-manager.ts"
import { controller, type EventSource } from "./controller.ts"
import { plan } from "./plan/plan-builder.ts"

test("an alarm wakes a key though nothing in Kubernetes has changed, until the loop has ended", async () => {
  const wakes = new Set<Parameters<EventSource["listen"]>[0]>()
  const alarm: EventSource = {
    listen: (wake) => {
      wakes.add(wake)
      return { [Symbol.dispose]: () => void wakes.delete(wake) }
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
  for (const wake of wakes) wake("default/a", "a process has ended")
  await running.server.settled()
  expect(running.reconciles().filter((look) => look.startsWith("default/a"))).toEqual([
    "default/a: ConfigMap added",
    "default/a: a process has ended",
  ])
  await running[Symbol.asyncDispose]()
  expect(wakes.size).toBe(0)
})
