import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { randomContract } from "./random.contract.ts"
import { seededRandom } from "./seeded-random.ts"

randomContract("seeded", () => seededRandom(1))

const draw = (seed: number, count = 8) => {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => random.int(2 ** 32))
}

describe("a seed", () => {
  // These numbers are a promise: a failing simulation is a seed that anyone can replay, also with a later version.
  test.each([
    [0, [2266749544, 3859721991, 3128767472, 1553841669]],
    [1, [3359835970, 1182520828, 4267878529, 3063500945]],
    [42, [182880509, 3008686201, 3775342264, 1518397874]],
    [-1, [752027244, 2662385789, 1593593538, 1730420112]],
    [1099511627777, [3147582710, 3447270983, 1999353775, 822540805]],
  ] as [number, number[]][])("%i gives the same numbers for ever", (seed, numbers) => {
    expect(draw(seed, 4)).toEqual(numbers)
  })

  test("gives the same ids for ever", () => {
    const random = seededRandom(42)
    expect([random.uuid(), random.letters(5), random.next()]).toEqual(["fd79b8b2-8137-4685-8055-5d85f23bb2d3", "9p67d", 0.3897136526647955])
  })

  test("gives the same numbers again", () => {
    fc.assert(fc.property(fc.maxSafeInteger(), (seed) => void expect(draw(seed)).toEqual(draw(seed))))
  })

  test("gives other numbers than another seed, also one that differs above 32 bits", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (a, b) => {
        fc.pre(a !== b)
        expect(draw(a)).not.toEqual(draw(b))
      }),
    )
    expect(draw(1)).not.toEqual(draw(1 + 2 ** 32))
  })

  test.each([1.5, Number.NaN, 2 ** 53])("of %s is refused", (seed) => {
    expect(() => seededRandom(seed)).toThrow(
      expect.objectContaining({ code: "INVALID", message: `expected a whole number as a seed, found ${seed}` }),
    )
  })
})

describe("a fork", () => {
  test("does not depend on what was drawn before, and does not disturb it", () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), fc.nat(20), (seed, name, drawn) => {
        const [plain, forked] = [seededRandom(seed), seededRandom(seed)]
        for (let count = 0; count < drawn; count++) expect(forked.next()).toBe(plain.next())
        expect(forked.fork(name).uuid()).toBe(seededRandom(seed).fork(name).uuid())
        expect(forked.next()).toBe(plain.next())
      }),
    )
  })

  test("of a thousand nodes is a thousand different streams", () => {
    const random = seededRandom(7)
    const first = Array.from({ length: 1000 }, (_, number) => random.fork(`node-${number}`).next())
    expect(new Set(first).size).toBe(1000)
  })
})
