import fc from "fast-check"
import { expect, test } from "vitest"
import { ListenerClaims } from "./listener-claims.ts"

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
