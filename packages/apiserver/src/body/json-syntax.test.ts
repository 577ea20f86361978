import { expect, test } from "vitest"
import { jsonSyntaxError } from "./json-syntax.ts"

test.each([
  ["", "unexpected end of JSON input"],
  ["{", "unexpected end of JSON input"],
  ['{"a":1,', "unexpected end of JSON input"],
  ["{nonsense", "invalid character 'n' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ["[1 2]", "invalid character '2' after array element"],
  ["[nonsense]", "invalid character 'o' in literal null (expecting 'u')"],
  ["<a>", "invalid character '<' looking for beginning of value"],
  ["{} x", "invalid character 'x' after top-level value"],
  ["-x", "invalid character 'x' in numeric literal"],
  ["1.x", "invalid character 'x' after decimal point in numeric literal"],
  ["1ex", "invalid character 'x' in exponent of numeric literal"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
  ['{"a":[{"b":{}},[],1],"c":[2,{"d":x}]}', "invalid character 'x' looking for beginning of value"],
  ['{"a":{"b":[1,{"c":2}]} "d"}', "invalid character '\"' after object key:value pair"],
  ["[[[]] 1]", "invalid character '1' after array element"],
  [`${"[".repeat(9000)}x`, "invalid character 'x' looking for beginning of value"],
  ["\u0007", "invalid character '\\a' looking for beginning of value"],
  ["\u0000", "invalid character '\\x00' looking for beginning of value"],
  ["\u000c", "invalid character '\\f' looking for beginning of value"],
  ["\u007f", "invalid character '\\x7f' looking for beginning of value"],
  ["\u0085", "invalid character 'Â' looking for beginning of value"],
  ["é", "invalid character 'Ã' looking for beginning of value"],
  ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
  ["🚢", "invalid character 'ð' looking for beginning of value"],
  ["\\", "invalid character '\\\\' looking for beginning of value"],
])("%j: %s", (text, words) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(jsonSyntaxError(text)).toBe(words)
})
