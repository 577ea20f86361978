import fc from "fast-check"
import { expect, test } from "vitest"
import { ListenerClaims } from "./envoy-listeners.ts"

const name = fc.constantFrom("n1", "n2", "n3")
const has = fc.tuple(
  fc.constantFrom("a", "b", "c"),
  fc.uniqueArray(fc.tuple(name, fc.integer({ min: 1, max: 3 })), { selector: ([n]) => n }),
)

test("whatever hosts were said to have, a name is claimed by those that were last said to have it, in order", () => {
  fc.assert(
    fc.property(fc.array(has), (said) => {
      const claims = new ListenerClaims()
      const last = new Map<string, Map<string, number>>()
      for (const [hostname, names] of said) {
        claims.put(hostname, new Map(names))
        last.set(hostname, new Map(names))
      }
      for (const one of ["n1", "n2", "n3"]) {
        const expected = [...last].filter(([, names]) => names.has(one)).map(([hostname, names]) => ({ hostname, port: names.get(one)! }))
        expect(claims.of(one)).toEqual(expected.sort((a, b) => (a.hostname < b.hostname ? -1 : 1)))
      }
    }),
  )
})

test("300 hosts that share 600 addresses are put in with a few comparisons each, not with a sort of all for every address", () => {
  let comparisons = 0
  // Comparing one with another reads both as texts.
  const host = (text: string) => ({ toString: () => (comparisons++, text) }) as unknown as string
  const claims = new ListenerClaims()
  const names = new Map(Array.from({ length: 600 }, (_, at) => [`10.0.${at >> 8}.${at & 255}_80`, 80]))
  for (let at = 0; at < 300; at++) claims.put(host(`headless-${at}`), names)
  const perName = comparisons / (300 * 600)
  expect(perName).toBeLessThan(2 * Math.log2(300) + 2)
  expect(claims.of("10.0.0.0_80")).toHaveLength(300)
})

test("a host that gains one of 600 addresses changes the claims of that one only", () => {
  let comparisons = 0
  const host = (text: string) => ({ toString: () => (comparisons++, text) }) as unknown as string
  const claims = new ListenerClaims()
  const names = new Map(Array.from({ length: 600 }, (_, at) => [`n${at}`, 80]))
  const [first, second] = [host("a"), host("b")]
  claims.put(first, names)
  claims.put(second, names)
  comparisons = 0
  claims.put(first, new Map([...names, ["more", 80]]))
  claims.put(second, new Map([...names, ["more", 80]]))
  expect(comparisons).toBeLessThan(10)
  expect(claims.of("more").map(({ hostname }) => hostname)).toEqual([first, second])
})
