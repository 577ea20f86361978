import { describe, expect, test } from "vitest"
import { decodeContinue, encodeContinue } from "./continue-token.ts"

const prefix = "/registry/configmaps/default/"
const v = "meta.k8s.io/v1"
const encoded = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url")
/** Its length is three more than a multiple of four. */
const good = encodeContinue({ revision: 12, after: `${prefix}abc` }, prefix)

describe("a continue token", () => {
  test("is read as it was written", () => {
    expect(good.length % 4).toBe(3)
    expect(decodeContinue(good, prefix)).toEqual({ revision: 12, after: `${prefix}abc` })
  })

  test.each([
    ["with a line end", `${good}\n`],
    ["in capital letters", encoded({ V: v, RV: 12, Start: "abc\u0000" })],
    ["with more than there should be", encoded({ v, rv: 12, start: "abc\u0000", z: 1 })],
    ["with a slash in front, as upstream writes it", encoded({ v, rv: 12, start: "/abc\u0000" })],
  ])("%s is taken (seen)", (_what, token) => {
    expect(decodeContinue(token, prefix)).toEqual({ revision: 12, after: `${prefix}abc` })
  })

  test("of the whole collection begins at its beginning, and of no revision at the newest (seen)", () => {
    expect(decodeContinue(encoded({ v, rv: 12, start: "/" }), prefix)).toEqual({ revision: 12, after: prefix })
    expect(decodeContinue(encoded({ v, rv: -5, start: "x" }), prefix)).toEqual({ revision: -1, after: `${prefix}x` })
  })

  test.each([
    ["one letter more", `${good}A`, String.raw`invalid character '\x00' after top-level value`],
    ["two letters more", `${good}AA`, `illegal base64 data at input byte ${good.length + 1}`],
    ["padding", `${good}=`, `illegal base64 data at input byte ${good.length}`],
    ["another alphabet", `${good}/`, `illegal base64 data at input byte ${good.length}`],
    ["a sign in the middle", `${good.slice(0, 5)}!${good.slice(5)}`, "illegal base64 data at input byte 5"],
    ["one letter", "A", "illegal base64 data at input byte 0"],
    ["another letter than ASCII has", "é", "illegal base64 data at input byte 0"],
    ["a byte that is no text", "np4", String.raw`invalid character '\u009e' looking for beginning of value`],
    ["a letter of two bytes", encoded("é"), "invalid character 'Ã' looking for beginning of value"],
    ["nothing in it", encoded({}), "server does not recognize this encoded version "],
    ["null", encoded("null"), "server does not recognize this encoded version "],
    ["a list", encoded([]), "json: cannot unmarshal array into Go value of type storage.continueToken"],
    ["a number", encoded("1"), "json: cannot unmarshal number into Go value of type storage.continueToken"],
    ["a text", encoded('"a"'), "json: cannot unmarshal string into Go value of type storage.continueToken"],
    [
      "a text for the revision",
      encoded({ v, rv: "1", start: "x" }),
      "json: cannot unmarshal string into Go struct field continueToken.rv of type int64",
    ],
    [
      "half a revision",
      encoded({ v, rv: 1.5, start: "x" }),
      "json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64",
    ],
    ["no revision", encoded({ v, start: "x" }), "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"],
    [
      "a number for the version",
      encoded({ v: 1, rv: 1, start: "x" }),
      "json: cannot unmarshal number into Go struct field continueToken.v of type string",
    ],
    ["another version", encoded({ v: "v2", rv: 1, start: "x" }), "server does not recognize this encoded version v2"],
    [
      "a number for the start",
      encoded({ v, rv: 1, start: 1 }),
      "json: cannot unmarshal number into Go struct field continueToken.start of type string",
    ],
    ["no start", encoded({ v, rv: 1 }), "encoded start key empty (version meta.k8s.io/v1)"],
    ["a way out of the collection", encoded({ v, rv: 1, start: "../x" }), "../x"],
    ["two slashes", encoded({ v, rv: 1, start: "//x" }), "//x"],
    ["a slash at the end", encoded({ v, rv: 1, start: "default/" }), "default/"],
    ["something behind it", encoded(`{"v":"${v}","rv":1,"start":"x"}x`), "invalid character 'x' after top-level value"],
  ])("with %s is refused in upstream's words (seen)", (_what, token, why) => {
    expect(() => decodeContinue(token, prefix)).toThrow(
      expect.objectContaining({ message: `invalid continue token: continue key is not valid: ${why}` }),
    )
  })
})
