import { expect, test } from "vitest"
import { KeyedMutex } from "./keyed-mutex.ts"

function stage() {
  const mutex = new KeyedMutex()
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const take = (id: string, name: string, signal = new AbortController().signal) => {
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    const work = () => {
      begun.push(name)
      return end.promise.then(() => name)
    }
    return mutex.run(id, work, signal)
  }
  return { begun, take, end: (name: string) => ends.get(name)!.resolve(), fail: (name: string) => ends.get(name)!.reject(new Error(name)) }
}

test("one after the other, also after one that failed; another thing does not wait", async () => {
  const { begun, take, end, fail } = stage()
  const [first, second, other] = [take("a", "first"), take("a", "second"), take("b", "other")]
  end("other")
  expect(await other).toBe("other")
  expect(begun).toEqual(["first", "other"])
  fail("first")
  await expect(first).rejects.toThrow("first")
  end("second")
  expect(await second).toBe("second")
})

test("who gives up waiting does not work, and does not let the next one in early", async () => {
  const { begun, take, end } = stage()
  const stop = new AbortController()
  const [first, second, third] = [take("a", "first"), take("a", "second", stop.signal), take("a", "third")]
  stop.abort()
  await expect(second).rejects.toMatchObject({ code: "ABORTED" })
  expect(begun).toEqual(["first"])
  end("first")
  end("third")
  expect([await first, await third, begun]).toEqual(["first", "third", ["first", "third"]])
})
