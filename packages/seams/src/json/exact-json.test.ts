import fc from "fast-check"
import { expect, test } from "vitest"
import { exactNumber, parseJson, stringifyJson } from "./exact-json.ts"

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

test.each<[text: string, value: unknown]>([
  ["9007199254740991", 9007199254740991],
  ["-9007199254740991", -9007199254740991],
  ["9007199254740992", 9007199254740992n],
  ["-9007199254740992", -9007199254740992n],
  [" 9007199254740993\n", 9007199254740993n],
  ["9223372036854775807", 2n ** 63n - 1n],
  ["-9223372036854775808", -(2n ** 63n)],
  ["9223372036854775808", 2 ** 63],
  ["-9223372036854775809", -(2 ** 63)],
  ["99999999999999999999", 1e20],
  [`${"9".repeat(400)}`, Number.POSITIVE_INFINITY],
  ["9007199254740993.5", 2 ** 53 + 2],
  ["12345678901234567890.0", Number("12345678901234567890")],
  ["0.12345678901234567", Number("0.12345678901234567")],
  ["1e20", 1e20],
  ["12345678901234567e1", Number("12345678901234567e1")],
  ['"9007199254740993"', "9007199254740993"],
  ['["a: 9007199254740993", 9007199254740993]', ["a: 9007199254740993", 9007199254740993n]],
  ['{"a":[1,{"b":-9007199254740993,"c":"x"}],"d":9007199254740995}', { a: [1, { b: -9007199254740993n, c: "x" }], d: 9007199254740995n }],
  [
    String.raw`{"a":"{\"b\":9007199254740993}","\\\"k\u0041":[ 9007199254740993 ]}`,
    { a: '{"b":9007199254740993}', '\\"kA': [9007199254740993n] },
  ],
  ['{"10":9007199254740993,"2":9007199254740995}', { 2: 9007199254740995n, 10: 9007199254740993n }],
  ['{"a":9007199254740993,"a":9007199254740992}', { a: 9007199254740992n }],
  ['{"a":9007199254740992,"a":9007199254740993}', { a: 9007199254740993n }],
  ['{"a":[9007199254740993],"a":{"0":1}}', { a: { 0: 1 } }],
  ['{"a":{"b":9007199254740993},"a":"text"}', { a: "text" }],
  ['{"a":{"b":9007199254740993},"a":null}', { a: null }],
])("%s", (text, value) => {
  expect(parseJson(text)).toEqual(value)
})

test("a field called __proto__ is a field", () => {
  const value = parseJson('{"__proto__":9007199254740993}') as object
  expect(Object.getOwnPropertyDescriptor(value, "__proto__")?.value).toBe(9007199254740993n)
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})

test.each([
  ['{"a":9007199254740993,"a":"9007199254740992"}', "9007199254740992"],
  ['{"a":9007199254740993,"a":[9007199254740992.0]}', [9007199254740992]],
  ['{"a":9007199254740993,"a":true}', true],
  ['{"a":"x","a":9007199254740993}', 9007199254740993n],
])("of a key that is there twice the last counts: %s", (text, value) => {
  expect(parseJson(text)).toEqual({ a: value })
})

test("an integer beyond int64 is a bigint where the reader asks for it", () => {
  expect(parseJson("[99999999999999999999,9007199254740993,1]", { beyondInt64: "bigint" })).toEqual([
    99999999999999999999n,
    9007199254740993n,
    1,
  ])
  // More digits than there are in practice: making them a bigint would take too long.
  expect(parseJson("9".repeat(401), { beyondInt64: "bigint" })).toBe(Number.POSITIVE_INFINITY)
})

test("what is no JSON is refused as JSON.parse refuses it", () => {
  expect(() => parseJson('{"a":9007199254740993')).toThrow(SyntaxError)
})

test.each<[value: unknown, text: string | undefined]>([
  [9007199254740993n, "9007199254740993"],
  [{ a: [-9223372036854775808n, 1, "x", null, undefined], b: undefined }, '{"a":[-9223372036854775808,1,"x",null,null]}'],
  [{ a: 1 }, '{"a":1}'],
  [undefined, undefined],
])("%o is written %s", (value, text) => {
  expect(stringifyJson(value)).toBe(text)
})

test("bigints are indented as numbers are", () => {
  expect(stringifyJson({ a: [2n ** 60n] }, 2)).toBe(`{\n  "a": [\n    ${2n ** 60n}\n  ]\n}`)
})

test("a value that contains itself is refused", () => {
  const self: Record<string, unknown> = { a: 2n ** 60n }
  self.self = self
  expect(() => stringifyJson(self)).toThrow(TypeError)
})

test("any JSON with any integers of 64 bits is the same after writing and reading, whatever the white space", () => {
  const leaf = fc.oneof(int64.map(exactNumber), fc.string(), fc.boolean(), fc.constant(null), fc.integer(), fc.constantFrom(0.5, 1e300))
  // Without backslashes: V8 13.6 takes the text of a key that ends in an escaped quote for a key seen before that ends in a backslash.
  const key = fc.oneof(fc.string(), fc.constantFrom('"', "1", "__proto__")).filter((text) => !text.includes("\\"))
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie("tree")), fc.dictionary(key, tie("tree"))),
  }))
  fc.assert(
    fc.property(tree, fc.constantFrom(undefined, 1, "\t"), (value, space) => {
      const text = stringifyJson(value, space)
      const again = parseJson(text)
      expect(stringifyJson(again, space)).toBe(text)
      expect(again).toEqual(value)
    }),
  )
})

test("an integer is a bigint if and only if it is not a safe one", () => {
  fc.assert(
    fc.property(int64, (value) => {
      const exact = exactNumber(value)
      expect(typeof exact).toBe(Number.isSafeInteger(Number(value)) && BigInt(Number(value)) === value ? "number" : "bigint")
      expect(BigInt(exact)).toBe(value)
      expect(exactNumber(exact)).toBe(exact)
    }),
  )
  expect([2 ** 60, 1e20, 0.5, -0, 5n, 2n ** 64n].map(exactNumber)).toEqual([1152921504606847000n, 1e20, 0.5, 0, 5, 2 ** 64])
})

test("many long integers far inside take linear time: each container is looked for once", () => {
  // Looking for each from the outside would take 150 million steps and as many parsed keys.
  const text = `${'{"key":'.repeat(1000)}[${Array(150_000).fill("9007199254740993").join(",")}]${"}".repeat(1000)}`
  const started = performance.now()
  expect(stringifyJson(parseJson(text)) === text).toBe(true)
  expect(performance.now() - started).toBeLessThan(10_000)
})
