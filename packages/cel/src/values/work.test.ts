import { expect, it } from "vitest"
import { EvaluationError, fail } from "./value.ts"
import { countMatching, longTextsOncePerEvaluation, oncePerEvaluation, type Work, withWork } from "./work.ts"

function newWork(): Work & { units: number } {
  return {
    units: 0,
    count(units) {
      this.units += units
    },
    foresee() {},
  }
}

function matchingWork(length: number, instructions: number, cost: number): number {
  const work = newWork()
  withWork(work, () => countMatching(length, instructions, () => cost))
  return work.units
}

it("computes once for each value of an evaluation, and again in the next one", () => {
  const computed: number[][] = []
  const sum = oncePerEvaluation((list: number[]) => {
    computed.push(list)
    return list.reduce((one, other) => one + other, 0)
  })
  const [first, second] = [[1, 2], [3]]
  const sums = () => withWork(newWork(), () => [sum(first), sum(second), sum(first)])
  expect(sums()).toEqual([3, 3, 3])
  expect(computed).toEqual([first, second])
  first.push(4)
  expect(sums()).toEqual([7, 3, 7])
  expect(computed).toEqual([first, second, first, second])
  expect([sum(first), sum(first), computed.length]).toEqual([7, 7, 6])
})

it("fails with the same error without computing again", () => {
  let computed = 0
  const parse = longTextsOncePerEvaluation((text) => {
    computed++
    return fail(`bad ${text.length}`)
  })
  withWork(newWork(), () => {
    for (const text of ["x".repeat(101), "x".repeat(101)]) expect(() => parse(text)).toThrow(new EvaluationError("bad 101"))
    expect(computed).toBe(1)
    for (const text of ["x", "x"]) expect(() => parse(text)).toThrow(new EvaluationError("bad 1"))
    expect(computed).toBe(3)
  })
})

it("counts of a match what its cost does not show", () => {
  expect(matchingWork(50_000, 904, 1)).toBe(753_332)
  expect(matchingWork(50_000, 904, 15_003)).toBe(738_330)
  expect(matchingWork(63, 11, 63)).toBe(0)
  expect(matchingWork(5, 11, 0)).toBe(0)
})
