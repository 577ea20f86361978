import { formatFieldError } from "@pilothouse/api"
import { describe, expect, it } from "vitest"
import { compileRules } from "../rules/compile-rules.ts"
import { validateRules } from "../rules/validate-rules.ts"

/** Texts, and why a rule cannot read them in a field of a format; kube-apiserver says the same. */
type Rows = readonly (readonly [text: string, fault: string | undefined])[]

function itReads(format: string, rule: string, rows: Rows): void {
  const schema = { type: "object", properties: { x: { type: "string", format } }, "x-kubernetes-validations": [{ rule }] }
  const compiled = compileRules(schema, { isResourceRoot: false })
  it.each(rows)("%j: %s", (x, fault) => {
    const errors = validateRules(compiled, "root", { x }).errors.map(formatFieldError)
    expect(errors).toEqual(fault === undefined ? [] : [`root: Invalid value: "object": ${fault} evaluating rule: ${rule}`])
  })
}

describe("a date", () => {
  itReads("date", 'string(self.x) != ""', [
    ["2024-02-29", undefined],
    ["2023-02-29", 'Invalid date formatted string 2023-02-29: parsing time "2023-02-29": day out of range'],
    ["2024-13-01", 'Invalid date formatted string 2024-13-01: parsing time "2024-13-01": month out of range'],
    ["2024-00-10", 'Invalid date formatted string 2024-00-10: parsing time "2024-00-10": month out of range'],
    ["2024-01-00", 'Invalid date formatted string 2024-01-00: parsing time "2024-01-00": day out of range'],
    ["2024-01-32", 'Invalid date formatted string 2024-01-32: parsing time "2024-01-32": day out of range'],
    ["2024-1-1", 'Invalid date formatted string 2024-1-1: parsing time "2024-1-1" as "2006-01-02": cannot parse "1-1" as "01"'],
    ["24-01-01", 'Invalid date formatted string 24-01-01: parsing time "24-01-01" as "2006-01-02": cannot parse "24-01-01" as "2006"'],
    ["noon", 'Invalid date formatted string noon: parsing time "noon" as "2006-01-02": cannot parse "noon" as "2006"'],
    ["", 'Invalid date formatted string : parsing time "" as "2006-01-02": cannot parse "" as "2006"'],
    ["2024-01-01x", 'Invalid date formatted string 2024-01-01x: parsing time "2024-01-01x": extra text: "x"'],
    ["2024-01-01 ", 'Invalid date formatted string 2024-01-01 : parsing time "2024-01-01 ": extra text: " "'],
    [
      "x2024-01-01",
      'Invalid date formatted string x2024-01-01: parsing time "x2024-01-01" as "2006-01-02": cannot parse "x2024-01-01" as "2006"',
    ],
    ["2024/01/01", 'Invalid date formatted string 2024/01/01: parsing time "2024/01/01" as "2006-01-02": cannot parse "/01/01" as "-"'],
    [
      "20a4-01-01",
      'Invalid date formatted string 20a4-01-01: parsing time "20a4-01-01" as "2006-01-02": cannot parse "20a4-01-01" as "2006"',
    ],
    ["2024-0a-01", 'Invalid date formatted string 2024-0a-01: parsing time "2024-0a-01" as "2006-01-02": cannot parse "0a-01" as "01"'],
    ["2024-01-0", 'Invalid date formatted string 2024-01-0: parsing time "2024-01-0" as "2006-01-02": cannot parse "0" as "02"'],
    ["2024-01", 'Invalid date formatted string 2024-01: parsing time "2024-01" as "2006-01-02": cannot parse "" as "-"'],
    ["2024-", 'Invalid date formatted string 2024-: parsing time "2024-" as "2006-01-02": cannot parse "" as "01"'],
    ["é", 'Invalid date formatted string é: parsing time "\\xc3\\xa9" as "2006-01-02": cannot parse "\\xc3\\xa9" as "2006"'],
    ["2024-01-01é", 'Invalid date formatted string 2024-01-01é: parsing time "2024-01-01\\xc3\\xa9": extra text: "\\xc3\\xa9"'],
    ["0001-01-01", undefined],
    ["9999-12-31", undefined],
    ["2024-04-31", 'Invalid date formatted string 2024-04-31: parsing time "2024-04-31": day out of range'],
    ['"', 'Invalid date formatted string ": parsing time "\\"" as "2006-01-02": cannot parse "\\"" as "2006"'],
    ["a\\b", 'Invalid date formatted string a\\b: parsing time "a\\\\b" as "2006-01-02": cannot parse "a\\\\b" as "2006"'],
    [
      "2024-01-01T00:00:00Z",
      'Invalid date formatted string 2024-01-01T00:00:00Z: parsing time "2024-01-01T00:00:00Z": extra text: "T00:00:00Z"',
    ],
    [
      "-024-01-01",
      'Invalid date formatted string -024-01-01: parsing time "-024-01-01" as "2006-01-02": cannot parse "-024-01-01" as "2006"',
    ],
    ["12345-01-01", 'Invalid date formatted string 12345-01-01: parsing time "12345-01-01" as "2006-01-02": cannot parse "5-01-01" as "-"'],
    ["1900-02-29", 'Invalid date formatted string 1900-02-29: parsing time "1900-02-29": day out of range'],
    ["2000-02-29", undefined],
  ])
})

describe("a date and a time", () => {
  itReads("date-time", 'string(self.x) != ""', [
    ["2024-02-29T10:00:00Z", undefined],
    ["2024-02-29T10:00:00", undefined],
    [
      "2024-02-29t10:00:00z",
      'Invalid date-time formatted string 2024-02-29t10:00:00z: parsing time "2024-02-29t10:00:00z" as "2006-01-02T15:04:05": cannot parse "t10:00:00z" as "T"',
    ],
    [
      "2024-02-29 10:00:00Z",
      'Invalid date-time formatted string 2024-02-29 10:00:00Z: parsing time "2024-02-29 10:00:00Z" as "2006-01-02T15:04:05": cannot parse " 10:00:00Z" as "T"',
    ],
    [
      "2024-02-29T10:00:00z",
      'Invalid date-time formatted string 2024-02-29T10:00:00z: parsing time "2024-02-29T10:00:00z": extra text: "z"',
    ],
    ["2024-02-29T10:00:00.5Z", undefined],
    ["2024-02-29T10:00:00,5Z", undefined],
    ["2024-02-29T10:00:00.123456789123Z", undefined],
    ["2024-02-29T10:00:00+01:00", undefined],
    [
      "2024-02-29T10:00:00+0100",
      'Invalid date-time formatted string 2024-02-29T10:00:00+0100: parsing time "2024-02-29T10:00:00+0100": extra text: "+0100"',
    ],
    ["2024-02-29T10:00:00-24:00", undefined],
    [
      "2024-02-29T10:00:00+25:00",
      'Invalid date-time formatted string 2024-02-29T10:00:00+25:00: parsing time "2024-02-29T10:00:00+25:00": extra text: "+25:00"',
    ],
    [
      "2024-02-29T10:00:00+10:61",
      'Invalid date-time formatted string 2024-02-29T10:00:00+10:61: parsing time "2024-02-29T10:00:00+10:61": extra text: "+10:61"',
    ],
    ["2024-02-29T5:00:00Z", undefined],
    ["2024-02-29T5:00:00", undefined],
    [
      "2024-02-29T24:00:00Z",
      'Invalid date-time formatted string 2024-02-29T24:00:00Z: parsing time "2024-02-29T24:00:00Z": hour out of range',
    ],
    [
      "2024-02-29T10:60:00Z",
      'Invalid date-time formatted string 2024-02-29T10:60:00Z: parsing time "2024-02-29T10:60:00Z": minute out of range',
    ],
    [
      "2024-02-29T10:00:60Z",
      'Invalid date-time formatted string 2024-02-29T10:00:60Z: parsing time "2024-02-29T10:00:60Z": second out of range',
    ],
    [
      "2024-02-30T10:00:00Z",
      'Invalid date-time formatted string 2024-02-30T10:00:00Z: parsing time "2024-02-30T10:00:00Z": extra text: "Z"',
    ],
    [
      "2024-02-29T10:00Z",
      'Invalid date-time formatted string 2024-02-29T10:00Z: parsing time "2024-02-29T10:00Z" as "2006-01-02T15:04:05": cannot parse "Z" as ":"',
    ],
    [
      "2024-02-29",
      'Invalid date-time formatted string 2024-02-29: parsing time "2024-02-29" as "2006-01-02T15:04:05": cannot parse "" as "T"',
    ],
    ["noon", 'Invalid date-time formatted string noon: parsing time "noon" as "2006-01-02T15:04:05": cannot parse "noon" as "2006"'],
    ["", undefined],
    [
      "2024-02-29T10:00:00.",
      'Invalid date-time formatted string 2024-02-29T10:00:00.: parsing time "2024-02-29T10:00:00.": extra text: "."',
    ],
    [
      "2024-02-29T10:00:00.Z",
      'Invalid date-time formatted string 2024-02-29T10:00:00.Z: parsing time "2024-02-29T10:00:00.Z": extra text: ".Z"',
    ],
    ["2024-02-29T10:00:00.5", undefined],
    [
      "2024-02-29T10:00:00 Z",
      'Invalid date-time formatted string 2024-02-29T10:00:00 Z: parsing time "2024-02-29T10:00:00 Z": extra text: " Z"',
    ],
    [
      "2024-13-29T10:00:00Z",
      'Invalid date-time formatted string 2024-13-29T10:00:00Z: parsing time "2024-13-29T10:00:00Z": month out of range',
    ],
    [
      "2024-02-29T10:0:00Z",
      'Invalid date-time formatted string 2024-02-29T10:0:00Z: parsing time "2024-02-29T10:0:00Z" as "2006-01-02T15:04:05": cannot parse "0:00Z" as "04"',
    ],
    [
      "2024-02-29T10:00:0Z",
      'Invalid date-time formatted string 2024-02-29T10:00:0Z: parsing time "2024-02-29T10:00:0Z" as "2006-01-02T15:04:05": cannot parse "0Z" as "05"',
    ],
    [
      "2024-02-29T1000:00Z",
      'Invalid date-time formatted string 2024-02-29T1000:00Z: parsing time "2024-02-29T1000:00Z" as "2006-01-02T15:04:05": cannot parse "00:00Z" as ":"',
    ],
    [
      "2024-02-29T",
      'Invalid date-time formatted string 2024-02-29T: parsing time "2024-02-29T" as "2006-01-02T15:04:05": cannot parse "" as "15"',
    ],
    [
      "2024-02-29Tx",
      'Invalid date-time formatted string 2024-02-29Tx: parsing time "2024-02-29Tx" as "2006-01-02T15:04:05": cannot parse "x" as "15"',
    ],
    [
      "2024-02-29T10:00:00ZZ",
      'Invalid date-time formatted string 2024-02-29T10:00:00ZZ: parsing time "2024-02-29T10:00:00ZZ": extra text: "ZZ"',
    ],
    [
      "2024-02-29T10:00:00+01",
      'Invalid date-time formatted string 2024-02-29T10:00:00+01: parsing time "2024-02-29T10:00:00+01": extra text: "+01"',
    ],
    [
      "2024-02-29T10:00:00+1:00",
      'Invalid date-time formatted string 2024-02-29T10:00:00+1:00: parsing time "2024-02-29T10:00:00+1:00": extra text: "+1:00"',
    ],
    [
      "2024-02-29T10:00:00.5x",
      'Invalid date-time formatted string 2024-02-29T10:00:00.5x: parsing time "2024-02-29T10:00:00.5x": extra text: "x"',
    ],
    [
      "2024-02-29T123:00:00Z",
      'Invalid date-time formatted string 2024-02-29T123:00:00Z: parsing time "2024-02-29T123:00:00Z" as "2006-01-02T15:04:05": cannot parse "3:00:00Z" as ":"',
    ],
    [
      "2024-02-29T10:00:00é",
      'Invalid date-time formatted string 2024-02-29T10:00:00é: parsing time "2024-02-29T10:00:00\\xc3\\xa9": extra text: "\\xc3\\xa9"',
    ],
    ["9999-12-31T23:59:59.999999999Z", undefined],
  ])
})

describe("bytes", () => {
  itReads("byte", "self.x.size() >= 0", [
    ["", undefined],
    ["YQ==", undefined],
    ["YWI=", undefined],
    ["YWJj", undefined],
    ["+/8=", "Invalid byte formatted string +/8=: illegal base64 data at input byte 0"],
    ["-_8=", undefined],
    ["YQ", "Invalid byte formatted string YQ: illegal base64 data at input byte 0"],
    ["YQ=", "Invalid byte formatted string YQ=: illegal base64 data at input byte 3"],
    ["YW=I", "Invalid byte formatted string YW=I: illegal base64 data at input byte 2"],
    ["Y", "Invalid byte formatted string Y: illegal base64 data at input byte 0"],
    ["Y===", "Invalid byte formatted string Y===: illegal base64 data at input byte 1"],
    ["YQ===", "Invalid byte formatted string YQ===: illegal base64 data at input byte 4"],
    ["YWI==", "Invalid byte formatted string YWI==: illegal base64 data at input byte 4"],
    ["YWJj=", "Invalid byte formatted string YWJj=: illegal base64 data at input byte 4"],
    ["YWJjZ", "Invalid byte formatted string YWJjZ: illegal base64 data at input byte 4"],
    ["YQ==YQ==", "Invalid byte formatted string YQ==YQ==: illegal base64 data at input byte 4"],
    ["Y Q=", "Invalid byte formatted string Y Q=: illegal base64 data at input byte 1"],
    ["!", "Invalid byte formatted string !: illegal base64 data at input byte 0"],
    ["YQ=\n=", undefined],
    ["Y\nQ==", undefined],
    ["YQ==\n", undefined],
    ["é", "Invalid byte formatted string é: illegal base64 data at input byte 0"],
    ["YWé=", "Invalid byte formatted string YWé=: illegal base64 data at input byte 2"],
    ["YWI=x", "Invalid byte formatted string YWI=x: illegal base64 data at input byte 4"],
    ["=", "Invalid byte formatted string =: illegal base64 data at input byte 0"],
    ["==", "Invalid byte formatted string ==: illegal base64 data at input byte 0"],
    ["a=", "Invalid byte formatted string a=: illegal base64 data at input byte 1"],
    ["ab\n", "Invalid byte formatted string ab\n: illegal base64 data at input byte 1"],
    ["abc\n", "Invalid byte formatted string abc\n: illegal base64 data at input byte 1"],
    ["YWJjYWJjYWJj!", "Invalid byte formatted string YWJjYWJjYWJj!: illegal base64 data at input byte 12"],
    ["YWJjYWJjYWJjYWJj+WJj", "Invalid byte formatted string YWJjYWJjYWJjYWJj+WJj: illegal base64 data at input byte 16"],
    ["\n", undefined],
    ["====", "Invalid byte formatted string ====: illegal base64 data at input byte 0"],
    ["YWJj\r\nYWJj", undefined],
  ])
})
