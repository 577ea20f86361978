import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { type Controller, controller } from "../controller/controller.ts"
import { plan } from "../controller/plan/plan-builder.ts"
import { testManager } from "./testing/manager.ts"

/** Says in each ConfigMap that it was seen. */
const marker: Controller = controller("marker", {
  for: configMaps,
  observe: (key, read) => read.get(configMaps, key),
  decide: (found) => (found.data?.seen ? plan() : plan().patch(found, { data: { seen: "yes" } }, "it was not seen yet")),
})

function configMap(name: string): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } }
}

test("one process works on two clusters: managers share nothing, not even through the same controller", async () => {
  await using east = await cluster({ nodes: 0, controllers: [] })
  await using west = await cluster({ nodes: 0, controllers: [] })
  await using inEast = await testManager([marker], { server: east })
  await using inWest = await testManager([marker], { server: west })
  await east.apply(configMap("only-east"))
  await east.settled()
  await west.apply(configMap("only-west"))
  await west.settled()
  const seen = async (one: typeof east) =>
    (await one.list(configMaps, { namespace: "default" })).filter(({ data }) => data?.seen === "yes").map(({ metadata }) => metadata.name)
  expect([await seen(east), await seen(west)]).toEqual([["only-east"], ["only-west"]])
  await inEast.stop()
  await west.apply(configMap("after"))
  await west.settled()
  expect(await seen(west)).toEqual(["after", "only-west"])
  expect(inWest.reconciles()).toContain("default/after: ConfigMap added")
})
