import { getEventListeners } from "node:events"
import { configMaps } from "@pilothouse/api/core/v1"
import { seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { createClient } from "../client/client.ts"
import { ScriptedApi } from "../testing/scripted-api.ts"
import { Informers } from "./informers.ts"

function made() {
  const clock = new VirtualClock()
  const api = new ScriptedApi({ clock })
  const stopping = new AbortController()
  const informers = new Informers({ client: createClient(api.transport), clock, random: seededRandom(1), log: silentLog })
  return { clock, api, stopping, informers }
}

test("one informer per resource and scope, shared by all callers", () => {
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

test("a borrowed one runs until the last reference is disposed, and hasSynced does not wait for it", async () => {
  const { clock, api, stopping, informers } = made()
  api.put("a")
  const running = informers.run(stopping.signal)
  const [one, other] = [informers.borrow(configMaps), informers.borrow(configMaps)]
  expect(one.informer).toBe(other.informer)
  expect(informers.hasSynced).toBe(true)
  await clock.settle()
  expect(one.informer.store.size).toBe(1)
  one[Symbol.dispose]()
  await clock.settle()
  expect(api.openWatches).toBe(1)
  other[Symbol.dispose]()
  await clock.settle()
  expect(api.openWatches).toBe(0)
  expect(informers.borrow(configMaps).informer).not.toBe(one.informer)
  stopping.abort()
  await clock.run(running)
})

test("a borrowed and permanent one stays when the reference is disposed", async () => {
  const { clock, api, stopping, informers } = made()
  const running = informers.run(stopping.signal)
  const borrowed = informers.borrow(configMaps, { metadataOnly: true })
  const kept = informers.of(configMaps)
  expect(informers.borrow(configMaps, { metadataOnly: true }).informer).toBe(kept)
  borrowed[Symbol.dispose]()
  await clock.settle()
  expect(api.openWatches).toBe(1)
  stopping.abort()
  await clock.run(running)
})

test("who waits for a version of one that is stopped waits no longer", async () => {
  const { clock, stopping, informers } = made()
  const running = informers.run(stopping.signal)
  const borrowed = informers.borrow(configMaps)
  await clock.settle()
  const waiting = borrowed.informer.reached("100", new AbortController().signal)
  borrowed[Symbol.dispose]()
  await clock.run(waiting)
  expect(borrowed.informer.store.resourceVersion).toBe("0")
  stopping.abort()
  await clock.run(running)
})

test("a released one leaves no listener on the shared signal", async () => {
  const { clock, stopping, informers } = made()
  const running = informers.run(stopping.signal)
  const listeners = () => getEventListeners(stopping.signal, "abort").length
  const before = listeners()
  const borrowed = informers.borrow(configMaps)
  await clock.settle()
  expect(listeners()).toBe(before + 1)
  borrowed[Symbol.dispose]()
  await clock.settle()
  expect(listeners()).toBe(before)
  stopping.abort()
  await clock.run(running)
})
