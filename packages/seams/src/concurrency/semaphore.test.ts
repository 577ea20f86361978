import { expect, test } from "vitest"
import { Semaphore } from "./semaphore.ts"

test("as many as there are permits, the others in the order in which they came", async () => {
  const semaphore = new Semaphore(2)
  const begun: string[] = []
  const take = async (name: string) => {
    const permit = await semaphore.acquire()
    begun.push(name)
    return permit
  }
  const [one, two, three, four] = [take("one"), take("two"), take("three"), take("four")]
  const first = await one
  await Promise.resolve()
  expect(begun).toEqual(["one", "two"])
  first[Symbol.dispose]()
  await three
  expect(begun).toEqual(["one", "two", "three"])
  // Released twice it is still one: a waiter is served by the next release only. That takes a few turns of the queue of promises.
  first[Symbol.dispose]()
  for (let turn = 0; turn < 100; turn++) await Promise.resolve()
  expect([begun, semaphore.waiting, semaphore.isAvailable]).toEqual([["one", "two", "three"], 1, false])
  const second = await two
  second[Symbol.dispose]()
  await four
  expect([begun, semaphore.waiting]).toEqual([["one", "two", "three", "four"], 0])
})

test("a caller that gives up waiting takes no permit, and the next one does not wait for it", async () => {
  const semaphore = new Semaphore(1)
  const stop = new AbortController()
  const first = await semaphore.acquire()
  const [second, third] = [semaphore.acquire(stop.signal), semaphore.acquire()]
  stop.abort()
  await expect(second).rejects.toMatchObject({ code: "ABORTED" })
  first[Symbol.dispose]()
  using _third = await third
  await expect(semaphore.acquire(stop.signal)).rejects.toMatchObject({ code: "ABORTED" })
})
