import { describe, expect, test } from "vitest"
import type { Random } from "./random.ts"

/** What every Random promises. The distribution bounds are 6 standard deviations wide: a true source misses one in 500 million times. */
export function randomContract(name: string, make: () => Random): void {
  describe(`the random contract: ${name}`, () => {
    numberRows(make)
    idRows(make)
  })
}

function numberRows(make: () => Random): void {
  test("next is in [0, 1) and spread evenly", () => {
    const random = make()
    const drawn = Array.from({ length: 10_000 }, () => random.next())
    expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true)
    const mean = drawn.reduce((sum, number) => sum + number, 0) / drawn.length
    expect(Math.abs(mean - 0.5)).toBeLessThan((6 * Math.sqrt(1 / 12)) / Math.sqrt(drawn.length))
  })

  test("int gives every whole number below the bound about as often", () => {
    const random = make()
    const [sides, draws] = [10, 10_000]
    const counts = new Array<number>(sides).fill(0)
    for (let draw = 0; draw < draws; draw++) counts[random.int(sides)]!++
    const expected = draws / sides
    const deviation = Math.sqrt(draws * (1 / sides) * (1 - 1 / sides))
    for (const count of counts) expect(Math.abs(count - expected)).toBeLessThan(6 * deviation)
    expect(counts.reduce((sum, count) => sum + count)).toBe(draws)
  })

  test("int(1) is 0 and int(2^32) is a whole number", () => {
    const random = make()
    expect(random.int(1)).toBe(0)
    expect(Number.isInteger(random.int(2 ** 32))).toBe(true)
  })

  test.each([0, -1, 1.5, 2 ** 32 + 1, Number.NaN])("int(%s) is refused", (bound) => {
    expect(() => make().int(bound)).toThrow(
      expect.objectContaining({
        code: "INVALID",
        message: `expected a whole number from 1 to 2^32 as the bound of a random number, found ${bound}`,
      }),
    )
  })
}

function idRows(make: () => Random): void {
  test("uuid is a version 4 UUID, another one each time", () => {
    const random = make()
    const ids = Array.from({ length: 1000 }, () => random.uuid())
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test("letters are those of Kubernetes' generated names, and all of them come", () => {
    const random = make()
    expect(random.letters(5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(new Set(random.letters(5000)).size).toBe(27)
    expect(random.letters(0)).toBe("")
  })

  test("bytes are as many as asked for, and all values come", () => {
    const random = make()
    expect(random.bytes(0)).toHaveLength(0)
    expect(new Set(random.bytes(10_000)).size).toBe(256)
  })
}
