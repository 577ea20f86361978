import { expect, test } from "vitest"
import { formatFieldError } from "../errors/field-error.ts"
import type { LabelSelector } from "../meta/meta.ts"
import { labelErrors, labelSelectorErrors } from "./label-validation.ts"

const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

test("good labels have no errors", () => {
  expect(labelErrors({ app: "web", "example.com/x": "" }, "metadata.labels")).toEqual([])
  expect(labelErrors(undefined, "metadata.labels")).toEqual([])
})

test("a bad key and a bad value are named at the map", () => {
  const errors = labelErrors({ "a//b": "_", ok: "-" }, "metadata.labels").map(formatFieldError)
  expect(errors).toHaveLength(3)
  expect(errors[0]).toMatch(/^metadata\.labels: Invalid value: "a\/\/b": a valid label key must consist of /)
  expect(errors.slice(1)).toEqual([`metadata.labels: Invalid value: "_": ${value}`, `metadata.labels: Invalid value: "-": ${value}`])
})

test.each<[LabelSelector | undefined, string[]]>([
  [undefined, []],
  [{ matchLabels: { a: "b" }, matchExpressions: [{ key: "a", operator: "In", values: ["x"] }] }, []],
  [{ matchLabels: { a: "-" } }, [`spec.selector.matchLabels: Invalid value: "-": ${value}`]],
  [
    { matchExpressions: [{ key: "a", operator: "In" }] },
    ["spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
  ],
  [
    { matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] },
    ["spec.selector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
  ],
  [
    { matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] },
    ['spec.selector.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator'],
  ],
  [
    { matchExpressions: [{ key: "a", operator: "NotIn", values: ["x", "-"] }] },
    [`spec.selector.matchExpressions[0].values[1]: Invalid value: "-": ${value}`],
  ],
])("the selector %j", (selector, errors) => {
  expect(labelSelectorErrors(selector, "spec.selector").map(formatFieldError)).toEqual(errors)
})
