import { expect, test } from "vitest"
import { SharedLists } from "./shared-lists.ts"

/** Questions that are answered by hand, with their number. */
function questions() {
  const lists = new SharedLists<number>()
  const asked: PromiseWithResolvers<number>[] = []
  const ask = (name = "shop") =>
    lists.get(name, () => {
      asked.push(Promise.withResolvers())
      return asked.at(-1)!.promise
    })
  const soon = () => new Promise<void>((resolve) => setImmediate(resolve))
  return { ask, asked, soon }
}

test("those who ask at the same time share one answer; another name has its own", async () => {
  const { ask, asked, soon } = questions()
  const answers = Promise.all([ask(), ask(), ask("other"), ask()])
  await soon()
  expect(asked).toHaveLength(2)
  asked.forEach(({ resolve }, at) => resolve(at))
  expect(await answers).toEqual([0, 0, 1, 0])
})

test("who asks while a request is on its way waits for the next one, with all others who came since", async () => {
  const { ask, asked, soon } = questions()
  const first = ask()
  await soon()
  const later = Promise.all([ask(), ask()])
  await soon()
  expect(asked).toHaveLength(1)
  asked[0]!.resolve(0)
  expect(await first).toBe(0)
  await soon()
  const last = ask()
  asked[1]!.resolve(1)
  expect(await later).toEqual([1, 1])
  await soon()
  asked[2]!.resolve(2)
  expect(await last).toBe(2)
})

test("a request that fails fails for those who share it, and the next is asked all the same", async () => {
  const { ask, asked, soon } = questions()
  const first = Promise.allSettled([ask(), ask()])
  await soon()
  const next = ask()
  asked[0]!.reject(new Error("not now"))
  expect((await first).map(({ status }) => status)).toEqual(["rejected", "rejected"])
  await soon()
  asked[1]!.resolve(1)
  expect(await next).toBe(1)
})
