import fc from "fast-check"
import { expect, test } from "vitest"
import { fromBase64, toBase64 } from "./base64.ts"

test("base64 is what the platform writes, and comes back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(toBase64(bytes)).toBe(btoa(String.fromCharCode(...bytes)))
      expect(fromBase64(toBase64(bytes))).toEqual(bytes)
    }),
  )
})

test.each(["a", "ab=c", "####", "YWJj\n"])("%j is no base64", (text) => expect(fromBase64(text)).toBeUndefined())
