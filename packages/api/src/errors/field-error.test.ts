import { expect, test } from "vitest"
import { type FieldError, fieldError, formatFieldError, formatFieldErrors } from "./field-error.ts"

test.each<[FieldError, string, string]>([
  [fieldError.invalid("a", "x", "must be y"), "FieldValueInvalid", 'Invalid value: "x": must be y'],
  [
    fieldError.invalid("a", -1, "must be greater than or equal to 0"),
    "FieldValueInvalid",
    "Invalid value: -1: must be greater than or equal to 0",
  ],
  [fieldError.invalid("a", true, "no"), "FieldValueInvalid", "Invalid value: true: no"],
  [fieldError.invalid("a", { b: "<&>" }, "no"), "FieldValueInvalid", 'Invalid value: {"b":"\\u003c\\u0026\\u003e"}: no'],
  [fieldError.invalid("a", null, "no"), "FieldValueInvalid", "Invalid value: null: no"],
  [fieldError.invalid("a", undefined, "no"), "FieldValueInvalid", "Invalid value: null: no"],
  [fieldError.typeInvalid("a", "x", "must be an integer"), "FieldValueTypeInvalid", 'Invalid value: "x": must be an integer'],
  [fieldError.required("a"), "FieldValueRequired", "Required value"],
  [fieldError.required("a", "name or generateName is required"), "FieldValueRequired", "Required value: name or generateName is required"],
  [fieldError.duplicate("a", "x"), "FieldValueDuplicate", 'Duplicate value: "x"'],
  [fieldError.notFound("a", "x"), "FieldValueNotFound", 'Not found: "x"'],
  [fieldError.notSupported("a", "x", ["A", "B"]), "FieldValueNotSupported", 'Unsupported value: "x": supported values: "A", "B"'],
  [fieldError.notSupported("a", "x", []), "FieldValueNotSupported", 'Unsupported value: "x"'],
  [fieldError.forbidden("a", "no"), "FieldValueForbidden", "Forbidden: no"],
  [fieldError.tooLong("a", 63), "FieldValueTooLong", "Too long: may not be more than 63 bytes"],
  [fieldError.tooLong("a", 1), "FieldValueTooLong", "Too long: may not be more than 1 byte"],
  [fieldError.tooLongCharacters("a", 10), "FieldValueTooLong", "Too long: may not be more than 10 characters"],
  [fieldError.tooShort("a", 2), "FieldValueTooShort", "Too short: must be at least 2 characters"],
  [fieldError.tooMany("a", 3, 2), "FieldValueTooMany", "Too many: 3: must have at most 2 items"],
  [fieldError.tooFew("a", 0, 1), "FieldValueTooFew", "Too few: 0: must have at least 1 item"],
  [fieldError.internal("a", "bug"), "InternalError", "Internal error: bug"],
])("%j", (error, reason, message) => {
  expect(error).toEqual({ reason, message, field: "a" })
  expect(formatFieldError(error)).toBe(`a: ${message}`)
})

test("several errors stand in brackets, one does not", () => {
  const [one, two] = [fieldError.required("a"), fieldError.forbidden("b", "no")]
  expect([[], [one], [one, one], [one, two]].map(formatFieldErrors)).toEqual([
    "",
    "a: Required value",
    "a: Required value",
    "[a: Required value, b: Forbidden: no]",
  ])
})
