import { expect, test } from "vitest"
import { BodyBudget } from "./serve.ts"

async function* chunks(...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size)
}

test("a body above the limit of each is refused before the rest of it is read", async () => {
  const budget = new BodyBudget({ each: 10, all: 100 })
  expect(await budget.read(chunks(5, 5))).toMatchObject({ bytes: Buffer.alloc(10) })
  expect(await budget.read(chunks(5, 6, 1000))).toMatchObject({ refused: 413, message: "expected a body of up to 10 bytes" })
})

test("bodies of all connections together are limited, until they are answered", async () => {
  const budget = new BodyBudget({ each: 10, all: 15 })
  const first = await budget.read(chunks(10))
  expect(await budget.read(chunks(6))).toMatchObject({ refused: 503 })
  const second = await budget.read(chunks(5))
  first[Symbol.dispose]()
  second[Symbol.dispose]()
  expect(await budget.read(chunks(10))).toMatchObject({ bytes: Buffer.alloc(10) })
})

test("a client that goes away in the middle of its body holds nothing", async () => {
  const budget = new BodyBudget({ each: 10, all: 10 })
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10)
    throw new Error("aborted")
  }
  await expect(budget.read(broken())).rejects.toThrow("aborted")
  expect(await budget.read(chunks(10))).toMatchObject({ bytes: Buffer.alloc(10) })
})
