import { expect, test } from "vitest"
import { Slots } from "./slots.ts"

test("as many as there are slots, the others in the order in which they came", async () => {
  const slots = new Slots(2)
  const begun: string[] = []
  const take = async (name: string) => {
    const slot = await slots.take()
    begun.push(name)
    return slot
  }
  const [one, two, three, four] = [take("one"), take("two"), take("three"), take("four")]
  const first = await one
  await Promise.resolve()
  expect(begun).toEqual(["one", "two"])
  first[Symbol.dispose]()
  await three
  expect(begun).toEqual(["one", "two", "three"])
  // Given back twice it is still one: whoever waits is served by the next one only. That takes a few turns of the queue of promises.
  first[Symbol.dispose]()
  for (let turn = 0; turn < 100; turn++) await Promise.resolve()
  expect([begun, slots.waiting, slots.isFree]).toEqual([["one", "two", "three"], 1, false])
  const second = await two
  second[Symbol.dispose]()
  await four
  expect([begun, slots.waiting]).toEqual([["one", "two", "three", "four"], 0])
})

test("who gives up waiting takes no slot, and the next one does not wait for it", async () => {
  const slots = new Slots(1)
  const stop = new AbortController()
  const first = await slots.take()
  const [second, third] = [slots.take(stop.signal), slots.take()]
  stop.abort()
  await expect(second).rejects.toMatchObject({ code: "ABORTED" })
  first[Symbol.dispose]()
  using _third = await third
  await expect(slots.take(stop.signal)).rejects.toMatchObject({ code: "ABORTED" })
})
