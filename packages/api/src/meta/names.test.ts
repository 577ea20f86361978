import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  checkConfigMapKey,
  checkEnvironmentName,
  checkHttpHeaderName,
  checkIdentifier,
  checkPercent,
  checkPortName,
  checkPortNumber,
} from "./key-names.ts"
import { checkLabelKey, checkLabelValue } from "./label-names.ts"
import { checkDns1035Label, checkDns1123Label, checkDns1123Subdomain, checkPathSegmentName, checkWildcardSubdomain } from "./names.ts"

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const wildcard =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const key =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const configKey =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

describe.each<[string, (name: string) => readonly string[], [string, string[]][]]>([
  [
    "a DNS label",
    checkDns1123Label,
    [
      ["my-name", []],
      ["123", []],
      ["a".repeat(63), []],
      ["", [label]],
      ["A", [label]],
      ["-a", [label]],
      ["a_b", [label]],
      ["a.b", ["must not contain dots"]],
      ["a\n", [label]],
      ["a".repeat(64), ["must be no more than 63 characters"]],
      ["A".repeat(64), ["must be no more than 63 characters", label]],
    ],
  ],
  [
    "a DNS subdomain",
    checkDns1123Subdomain,
    [
      ["example.com", []],
      ["0.1", []],
      ["a".repeat(253), []],
      ["", [subdomain]],
      ["A_1", [subdomain]],
      ["a..b", [subdomain]],
      ["a.", [subdomain]],
      ["a".repeat(254), ["must be no more than 253 characters"]],
      ["é".repeat(127), ["must be no more than 253 characters", subdomain]],
    ],
  ],
  [
    "a DNS-1035 label",
    checkDns1035Label,
    [
      ["abc-1", []],
      ["1abc", [label1035]],
      ["a.b", [label1035]],
      ["a".repeat(64), ["must be no more than 63 characters"]],
    ],
  ],
  [
    "a wildcard",
    checkWildcardSubdomain,
    [
      ["*.example.com", []],
      ["example.com", [wildcard]],
      ["*.*.com", [wildcard]],
      ["*", [wildcard]],
    ],
  ],
  [
    "a path segment",
    checkPathSegmentName,
    [
      ["system:node", []],
      ["", []],
      [".", ["may not be '.'"]],
      ["..", ["may not be '..'"]],
      ["a/b%", ["may not contain '/'", "may not contain '%'"]],
    ],
  ],
  [
    "a label key",
    checkLabelKey,
    [
      ["app", []],
      ["example.com/My_Name.x", []],
      ["constructor", []],
      ["", ["name part must be non-empty", `name part ${key}`]],
      ["_a", [`name part ${key}`]],
      ["/a", ["prefix part must be non-empty"]],
      ["a/", ["name part must be non-empty", `name part ${key}`]],
      ["A/b", [`prefix part ${subdomain}`]],
      [`${"a".repeat(254)}/b`, ["prefix part must be no more than 253 bytes"]],
      ["a".repeat(64), ["name part must be no more than 63 bytes"]],
      ["a/b/c", [`a valid label key ${key} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]],
    ],
  ],
  [
    "a label value",
    checkLabelValue,
    [
      ["", []],
      ["my_Value.1", []],
      ["-", [value]],
      ["a b", [value]],
      ["a".repeat(64), ["must be no more than 63 bytes"]],
    ],
  ],
  [
    "the name of a port",
    checkPortName,
    [
      ["http", []],
      ["a-1", []],
      ["", ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)", "must contain at least one letter (a-z)"]],
      ["123", ["must contain at least one letter (a-z)"]],
      ["a--b", ["must not contain consecutive hyphens"]],
      ["-a", ["must not begin or end with a hyphen"]],
      ["HTTP", ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)", "must contain at least one letter (a-z)"]],
      ["a".repeat(16), ["must be no more than 15 characters"]],
    ],
  ],
  [
    "a key of a ConfigMap",
    checkConfigMapKey,
    [
      ["key.name", []],
      [".hidden", []],
      [".", ["must not be '.'"]],
      ["..", ["must not be '..'"]],
      ["..a", ["must not start with '..'"]],
      ["a/b", [configKey]],
      ["", [configKey]],
      ["a".repeat(254), ["must be no more than 253 characters"]],
    ],
  ],
  [
    "the name of an environment variable",
    checkEnvironmentName,
    [
      ["MY VAR-1", []],
      ["", ["environment variable name must be non-empty"]],
      ["A=B", ["a valid environment variable name must consist only of printable ASCII characters other than '='"]],
      ["é", ["a valid environment variable name must consist only of printable ASCII characters other than '='"]],
    ],
  ],
])("%s", (_, check, rows) => {
  test.each(rows)("%j", (name, errors) => {
    expect(check(name)).toEqual(errors)
  })
})

test("smaller rules", () => {
  expect([checkPortNumber(1), checkPortNumber(65535), checkPortNumber(0)]).toEqual([[], [], ["must be between 1 and 65535, inclusive"]])
  expect([checkPercent("25%"), checkPercent("25")]).toEqual([
    [],
    [
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ],
  ])
  expect([checkIdentifier("_a1"), checkIdentifier("1a").length]).toEqual([[], 1])
  expect([checkHttpHeaderName("X-Name"), checkHttpHeaderName("a b").length]).toEqual([[], 1])
})

test("a generateName may end with a dash", () => {
  expect(checkDns1123Subdomain("web-", { prefix: true })).toEqual([])
  expect(checkDns1123Label("web-", { prefix: true })).toEqual([])
  expect(checkDns1035Label("web-", { prefix: true })).toEqual([])
  expect(checkDns1123Label("-", { prefix: true })).toEqual([label])
  expect(checkPathSegmentName("..", { prefix: true })).toEqual([])
})

test("every label is a subdomain, and labels with dots between them are one", () => {
  const labels = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/)
  fc.assert(
    fc.property(fc.array(labels, { minLength: 1, maxLength: 5 }), (parts) => {
      expect(parts.flatMap((part) => checkDns1123Label(part))).toEqual([])
      expect(checkDns1123Subdomain(parts.join("."))).toEqual([])
    }),
  )
})
