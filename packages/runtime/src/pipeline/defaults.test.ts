import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { seededRandom } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { testManager } from "../manager/testing/manager.ts"
import { eventHandler } from "./event-handler.ts"
import { pipeline } from "./pipeline.ts"

test("a thousand objects are handled at once by default, and the next when one of them is done", async () => {
  await using server = await cluster({ nodes: 0, controllers: [] })
  const waiting: (() => void)[] = []
  const handler = eventHandler<ConfigMap, string>({
    name: "slow",
    of: configMaps,
    observe: async ({ object }) => {
      if (object.metadata.namespace === "default") await new Promise<void>((resolve) => waiting.push(resolve))
      return "seen"
    },
  })
  const made = pipeline({ handlers: [handler], clock: server.clock, random: seededRandom(3) })
  const manager = await testManager(made.controllers, { server })
  for (let at = 0; at < 1010; at++)
    await server.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: `map-${at}`, namespace: "default" } })
  await server.settled()
  // Others of the server's own may be among them in other namespaces: those do not wait.
  expect(waiting).toHaveLength(1000)
  for (const go of waiting.slice(0, 3)) go()
  await server.settled()
  expect(waiting).toHaveLength(1003)
  for (const go of waiting) go()
  await server.settled()
  for (const go of waiting) go()
  await manager.stop()
})
