import type { RegistrySubscriber } from "@pilothouse/discovery"
import { expect, test } from "vitest"
import { onFirstState } from "./serve.ts"

function registry() {
  const subscribers = new Set<RegistrySubscriber>()
  return {
    synced: false,
    subscribers,
    subscribe(one: RegistrySubscriber): Disposable {
      subscribers.add(one)
      return { [Symbol.dispose]: () => void subscribers.delete(one) }
    },
    configUpdate() {
      for (const one of subscribers) one.configUpdate("networks")
    },
  }
}

test("notifies once, when everything has been read, and removes its listener", () => {
  const [read, told] = [registry(), [] as string[]]
  onFirstState(read, () => told.push("told"))
  read.configUpdate()
  expect(told).toEqual([])
  read.synced = true
  read.configUpdate()
  read.configUpdate()
  expect([told, read.subscribers.size]).toEqual([["told"], 0])
})

test("does not notify after it is disposed", () => {
  const [read, told] = [registry(), [] as string[]]
  onFirstState(read, () => told.push("told"))[Symbol.dispose]()
  read.synced = true
  read.configUpdate()
  expect(told).toEqual([])
})
