import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { controller, type Plan, plan } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { cluster } from "./cluster.ts"

const counter: ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "counter", labels: { hot: "true" } },
  data: { count: "0" },
}

/** Only for its own ConfigMap: every cluster has some of its own. */
const hot = (decide: (map: ConfigMap) => Plan) =>
  controller("hot", {
    for: configMaps,
    observe: (key, read) => {
      const map = read.get(configMaps, key)
      return map?.metadata.labels?.hot === "true" ? map : undefined
    },
    decide,
  })

const countsOn = hot((map) => plan().patch(map, { data: { count: `${Number(map.data?.count) + 1}` } }, "one more"))

test("a plan that is never empty ends settled() with the controller, the key and its last plan", async () => {
  await using c = await cluster({ nodes: 0, controllers: [], extra: [countsOn] })
  await c.apply(counter)
  await expect(c.settled()).rejects.toMatchObject({
    code: "STUCK",
    message: expect.stringMatching(
      /^hot made 1,000 reconciles of default\/counter without time passing; its last plan was: patch ConfigMap default\/counter, because one more; /,
    ),
  })
  // It stands still from then on: no test has to wait for it.
  const before = await c.client.get(configMaps, "default/counter")
  await expect(c.advance("1h")).rejects.toMatchObject({ code: "STUCK" })
  expect(await c.client.get(configMaps, "default/counter")).toEqual(before)
  await expect(c.until(() => false)).rejects.toMatchObject({ code: "STUCK" })
})

test("other controllers go on beside one that is hot, and controllers that are restarted are counted from zero", async () => {
  let made = 0
  const looksOnce = controller("looks-once", {
    for: configMaps,
    observe: (key, read) => read.get(configMaps, key),
    decide: (map) => (map.metadata.name === "later" ? plan().nothing(`${made++}`) : plan().nothing()),
  })
  await using c = await cluster({ nodes: 0, controllers: [], extra: [countsOn, looksOnce] })
  await c.apply(counter)
  await expect(c.settled()).rejects.toMatchObject({ code: "STUCK" })
  await c.apply({ ...counter, metadata: { name: "later" } })
  await expect(c.settled()).rejects.toMatchObject({ code: "STUCK" })
  expect(made).toBe(1)
  await c.client.delete(configMaps, "default/counter")
  await c.restartControllers()
  await c.settled()
})

test("many writes are no fault where time passes between them", async () => {
  const clock = controller("clock", {
    for: configMaps,
    observe: (key, read) => {
      const map = read.get(configMaps, key)
      return map?.metadata.labels?.hot === "true" ? map : undefined
    },
    decide: (map, { now }) => {
      const made = plan().requeueAfter("1s", "time goes by")
      return map.data?.count === `${now}` ? made.nothing() : made.patch(map, { data: { count: `${now}` } }, "it is later")
    },
  })
  await using c = await cluster({ nodes: 0, controllers: [], extra: [clock] })
  await c.apply(counter)
  await c.advance("20m")
  const { metadata } = await c.client.get(configMaps, "default/counter")
  expect(Number(metadata.resourceVersion)).toBeGreaterThan(1_200)
})
