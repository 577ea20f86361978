import fc from "fast-check"
import { expect, test } from "vitest"
import { compareResourceVersions, isResourceVersion } from "./resource-version.ts"

test("versions compare as numbers of any length", () => {
  const versions = fc.bigInt(1n, 10n ** 40n)
  fc.assert(
    fc.property(versions, versions, (a, b) => {
      expect(compareResourceVersions(String(a), String(b))).toBe(a < b ? -1 : a > b ? 1 : 0)
    }),
  )
})

test.each(["", "0", "01", "-1", "+1", "1.0", "1e3", "a", "1\n", " 1"])("%j is no version of an object", (version) => {
  const message = `resource version is not well formed: ${version}`
  expect(isResourceVersion(version)).toBe(false)
  expect(() => compareResourceVersions(version, "1")).toThrow(expect.objectContaining({ code: "INVALID", message }))
  expect(() => compareResourceVersions("1", version)).toThrow(expect.objectContaining({ code: "INVALID", message }))
})
