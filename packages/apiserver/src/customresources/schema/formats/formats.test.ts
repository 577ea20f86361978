import { expect, test } from "vitest"
import { formatCheck, isKnownFormat } from "./formats.ts"
import { stepsOf } from "./pattern.ts"

const long = (length: number) => "x".repeat(length)

const table: Readonly<Record<string, { readonly valid: readonly string[]; readonly invalid: readonly string[] }>> = {
  bsonobjectid: {
    valid: ["507f1f77bcf86cd799439011", "507F1F77BCF86CD799439011"],
    invalid: ["", "507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g"],
  },
  uri: {
    valid: [
      "http://a.test",
      "https://u:p@a.test:80/x?y#z",
      "mailto:a@b",
      "/path",
      "*",
      "http://[::1]:80/",
      "http://[fe80::1%25en0]/",
      "pg://a:1,b:2/",
      "x:?y",
    ],
    invalid: [
      "",
      "a.test",
      "./a",
      ":x",
      "http://a b/",
      "http://a:b:c/",
      "http://a:80x",
      "http://[1.2.3.4]/",
      "http://[::1",
      "http://a%41/",
      "/%zz",
      "http://a[b]",
      "a\n://b",
    ],
  },
  email: {
    valid: [
      "a@b",
      "Name <a@b.test>",
      "<a@b>",
      '"q q"@b',
      "a@[1.2.3.4]",
      "a@[::1]",
      "a@b (note (nested))",
      "G: a@b;",
      '"A\\"B" <c@d>',
      "é@ü",
    ],
    invalid: [
      "",
      "x",
      "a@",
      "@b",
      "a..b@c",
      ".a@b",
      "a.@b",
      '""@b',
      "a@[01.2.3.4]",
      "a@b, c@d",
      "G: a@b, c@d;",
      "G:;",
      "a@b (open",
      "a b",
      "a@b <c@d>",
    ],
  },
  hostname: {
    valid: ["a", "a-b", "a.bc", "a-b.test", "例子.测试", "☃.test", `${long(63)}.test`],
    invalid: [
      "",
      "-a",
      "ab-c",
      "a.b",
      "a..test",
      "-a.test",
      "a-.test",
      "a_b.test",
      "a.c1",
      "www.a.test.",
      `${long(64)}.test`,
      `${"a.".repeat(127)}test`,
    ],
  },
  ipv4: { valid: ["10.0.0.1", "010.0.0.01", "::ffff:10.0.0.1"], invalid: ["", "10.0.0", "256.0.0.1", "::1", "10.0.0.1/8"] },
  ipv6: { valid: ["::1", "::", "fd00::0001", "::ffff:10.0.0.1"], invalid: ["", "10.0.0.1", "fe80::1%eth0", "::ffff:010.0.0.1", "1:2:3"] },
  cidr: {
    valid: ["10.0.0.1/8", "::/0", "010.0.0.1/08", "::ffff:10.0.0.1/9"],
    invalid: ["", "10.0.0.1", "10.0.0.1/33", "::/129", "10.0.0.1/", "10.0.0.1/+8"],
  },
  mac: {
    valid: ["00:00:5e:00:53:01", "02-00-5E-10-00-00-00-01", "0000.5e00.5301", "00005e005301", Array(20).fill("00").join(":")],
    invalid: ["", "00:00:5e:00:53", "00:00-5e:00:53:01", "00:00:5e:00:53:0g", "0000.5e00.53010", "00005e00530"],
  },
  uuid: {
    valid: ["3bcd6e9f-a5fc-45de-9ab1-3d2f0b1a6cce", "3BCD6E9FA5FC45DE9AB13D2F0B1A6CCE"],
    invalid: ["", "3bcd6e9f", "3bcd6e9f-a5fc-45de-9ab1-3d2f0b1a6ccg"],
  },
  uuid3: { valid: ["3bcd6e9f-a5fc-35de-9ab1-3d2f0b1a6cce"], invalid: ["3bcd6e9f-a5fc-45de-9ab1-3d2f0b1a6cce"] },
  uuid4: { valid: ["3bcd6e9f-a5fc-45de-9ab1-3d2f0b1a6cce"], invalid: ["3bcd6e9f-a5fc-45de-7ab1-3d2f0b1a6cce"] },
  uuid5: { valid: ["3bcd6e9f-a5fc-55de-9ab1-3d2f0b1a6cce"], invalid: ["3bcd6e9f-a5fc-45de-9ab1-3d2f0b1a6cce"] },
  isbn: { valid: ["0321751043", "978-0321751041"], invalid: ["", "0321751044"] },
  isbn10: { valid: ["0321751043", "1-61729-085-8", "3 401 01319 X"], invalid: ["978-0321751041", "0321751044", "032175104"] },
  isbn13: { valid: ["978-0321751041", "978 3401013190"], invalid: ["0321751043", "978-0321751042"] },
  creditcard: { valid: ["4111-1111-1111-1111", "5139288802098206", "374953669708156"], invalid: ["", "4111-1111-1111-1112", "1234"] },
  ssn: { valid: ["111-11-1111", "111 11 1111"], invalid: ["", "111111111", "111-11-111", "aaa-11-1111"] },
  hexcolor: { valid: ["#FFFFFF", "fff"], invalid: ["", "#ff", "#ffff", "#ggg"] },
  rgbcolor: {
    valid: ["rgb(255,0,127)", "rgb( 1 ,\t2,3 )"],
    invalid: ["", "rgb(256,0,0)", "rgb(01,0,0)", "rgb(1,2)", "rgb (1,2,3)", "rgb(1,2,3) "],
  },
  byte: { valid: ["YWJj", "YQ==", "YWI="], invalid: ["", "Y", "YWJj\n", "YW_-"] },
  password: { valid: ["", "anything"], invalid: [] },
  date: {
    valid: ["2026-01-02", "2024-02-29", "0000-01-01"],
    invalid: ["", "2026-02-29", "2026-13-01", "2026-1-02", "2026-01-02x", "2026-00-10"],
  },
  duration: {
    valid: ["1h30m", "-1.5s", "0", "22 ns", "3 days", "2 Weeks", "about 5 min", "1 fortnight 2 h", "300µs"],
    invalid: ["", "5", "h", "3 fortnights", "99999999999999999999h", "9999999999999999999 days", "-"],
  },
  "date-time": {
    valid: ["2026-01-02T03:04:05Z", "2026-01-02t03:04:05.678z", "2026-01-02T03:04:05+02:00"],
    invalid: [
      "",
      "2026",
      "2026-01-02",
      "2026-01-02T03:04:05",
      "2026-01-02T24:04:05Z",
      "2026-01-02T03:60:05Z",
      "2026-02-30T03:04:05Z",
      "2026-01-02 03:04:05Z",
    ],
  },
  "k8s-short-name": { valid: ["a", "a-b", "0", long(63)], invalid: ["", "A", "-a", "a-", "a.b", long(64)] },
  "k8s-long-name": { valid: ["a", "a.b-c", `${long(64)}.a`, long(253)], invalid: ["", "a..b", "a.-", ".a", "A", long(254)] },
}

const rows = Object.entries(table).flatMap(([format, { valid, invalid }]) => [
  ...valid.map((text) => ({ format, text, isValid: true })),
  ...invalid.map((text) => ({ format, text, isValid: false })),
])

test.each(rows)("$format of $text: $isValid", ({ format, text, isValid }) => {
  expect(formatCheck(format)?.(text)).toBe(isValid)
})

test("dashes in the name of a format are ignored, and unknown formats mean nothing", () => {
  expect([isKnownFormat("datetime"), isKnownFormat("date-time"), isKnownFormat("ipv-4")]).toEqual([true, true, true])
  expect([isKnownFormat("int32"), isKnownFormat("date time"), isKnownFormat("")]).toEqual([false, false, false])
})

/** A check that takes quadratic time does not end within the time of a test. */
test.each(Object.keys(table))("%s of a megabyte is answered", (format) => {
  const check = formatCheck(format)
  for (const part of ["a", "1", " ", "(", '"', "a.", "1:", "%25", "a@b,", "=", "\u00e9"]) {
    expect(check?.(part.repeat(1_000_000 / part.length))).toBeTypeOf("boolean")
  }
})

test.each([
  ["a", 1],
  ["a{63}", 68],
  ["a{1,253}b{2,}", 253 + 2 + 13],
  ["(a{31}){32}", 31 + 32 + 11 + 992],
  ["x{9999}", 1000 + 7],
])("%s has %i steps", (source, steps) => {
  expect(stepsOf(source)).toBe(steps)
})
