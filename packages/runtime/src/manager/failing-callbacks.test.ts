import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { memoryMetrics, recordingLog } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { type Controller, type ControllerSpec, controller } from "../controller/controller.ts"
import { plan } from "../controller/plan/plan-builder.ts"
import { ChangingKinds } from "../testing/changing-kinds.ts"
import { testManager } from "./testing/manager.ts"

function looking(spec: Partial<ControllerSpec<ConfigMap>>): Controller {
  return controller<ConfigMap>("looking", {
    for: configMaps,
    observe: (key, read) => read.get(configMaps, key),
    decide: () => plan().nothing("it is well"),
    ...spec,
  })
}

const configMap: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } }

function thrown(): never {
  throw new Error("not mine")
}

describe("a callback that fails ends nothing, and is named", () => {
  test.each([
    ["as a whole", (kinds: ChangingKinds) => void (kinds.broken = true)],
    ["in one group", (kinds: ChangingKinds) => void kinds.stale.add("apps/v1")],
  ])("dynamicKinds.failed, where discovery fails %s", async (_, fail) => {
    const kinds = new ChangingKinds()
    fail(kinds)
    const discovers = { includes: () => false, watches: () => [], failed: thrown }
    await using made = await testManager([looking({ dynamicKinds: discovers })], { layer: (inner) => kinds.layer(inner) })
    await made.clock.advance("31s")
    const told = made.lines.filter(({ message }) => message === "dynamicKinds.failed threw; discovery is repeated")
    expect(told.length).toBeGreaterThan(1)
    expect(told[0]).toMatchObject({ level: "error", fields: { controller: "looking", error: "not mine" } })
    await made.server.apply(configMap)
    await made.clock.advance("31s")
    expect(made.reconciles()).toContain("default/a: ConfigMap added")
    await made.stop()
  })

  test("ended, though it should not be async", async () => {
    const ended = async () => thrown()
    await using made = await testManager([looking({ onReconciled: ended as () => void })])
    await made.server.apply(configMap)
    await made.server.settled()
    expect(made.lines).toContainEqual({
      level: "error",
      message: "onReconciled threw; the key is not affected",
      fields: { controller: "looking", key: "default/a", error: "not mine" },
    })
    await made.stop()
  })
})

test("caches that fail, which none should, end the manager with what they failed with", async () => {
  const kinds = new ChangingKinds()
  const { log } = recordingLog()
  const ill = { ...log, warn: thrown }
  const discovers = { includes: () => false, watches: () => [] }
  await using made = await testManager([looking({ dynamicKinds: discovers })], { layer: (inner) => kinds.layer(inner), log: ill })
  kinds.broken = true
  await made.clock.advance("31s")
  expect(made.manager.health.ready().find(({ name }) => name === "looking")).toMatchObject({ ok: false })
  await expect(made.stop()).rejects.toThrow("not mine")
})

test("nothing of a manager that has stopped is left, however its work ended", async () => {
  const never = new Promise<undefined>(() => {})
  await using made = await testManager([looking({ observe: () => never })], { metrics: memoryMetrics() })
  await made.server.apply(configMap)
  await made.clock.advance("3s")
  await made.stop()
  expect(made.clock.waiting().filter((name) => name.includes("looking"))).toEqual([])
})

test("that it stops is said, before it has", async () => {
  await using made = await testManager([looking({})])
  await made.stop()
  expect(made.lines).toContainEqual(expect.objectContaining({ level: "info", message: "stopping" }))
})
