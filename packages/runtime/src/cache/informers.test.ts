import { configMaps } from "@pilothouse/api/core/v1"
import { seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { createClient } from "../client/client.ts"
import { ScriptedApi } from "../test-support/scripted-api.ts"
import { Informers } from "./informers.ts"

function made() {
  const clock = new VirtualClock()
  const api = new ScriptedApi({ clock })
  const stopping = new AbortController()
  const informers = new Informers({ client: createClient(api.transport), clock, random: seededRandom(1), log: silentLog })
  return { clock, api, stopping, informers }
}

test("one informer per resource and scope, shared by everybody who asks", () => {
  const { informers } = made()
  expect(informers.of(configMaps)).toBe(informers.of(configMaps))
  expect(informers.of(configMaps, { namespace: "x" })).not.toBe(informers.of(configMaps))
  expect(informers.of(configMaps, { namespace: "x" })).toBe(informers.of(configMaps, { namespace: "x" }))
})

test("one that is asked for while the others run starts at once", async () => {
  const { clock, api, stopping, informers } = made()
  api.put("a")
  const running = informers.run(stopping.signal)
  const late = informers.of(configMaps)
  await clock.settle()
  expect(late.store.size).toBe(1)
  stopping.abort()
  await clock.run(running)
  expect(api.openWatches).toBe(0)
})
