import { PilothouseError } from "@pilothouse/seams"
import { type FieldError, fieldError, formatFieldErrors } from "../errors/field-error.ts"
import { checkLabelKey, checkLabelValue } from "../meta/label-names.ts"

/** The operators of label requirements. */
export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt"

/** One condition on one label. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  /** One for =, ==, !=, gt and lt; at least one for in and notin; none for exists and !. */
  readonly values: readonly string[]
}

/** A requirement that is checked: key, number of values and each value. The message says all that is wrong, in upstream's words. */
export function labelRequirement(key: string, operator: LabelOperator, values?: readonly string[], path = ""): LabelRequirement {
  const errors = labelRequirementErrors(key, operator, values, path)
  if (errors.length > 0) throw new PilothouseError("INVALID", formatFieldErrors(errors))
  return { key, operator, values: values ?? [] }
}

/** Validates a requirement at the path. */
export function labelRequirementErrors(
  key: string,
  operator: LabelOperator,
  values: readonly string[] | undefined,
  path = "",
): readonly FieldError[] {
  const under = path === "" ? "" : `${path}.`
  const keyErrors = checkLabelKey(key)
  return [
    ...(keyErrors.length === 0 ? [] : [fieldError.invalid(`${under}key`, key, keyErrors.join("; "))]),
    ...countErrors(operator, values, `${under}values`),
    ...(values ?? []).flatMap((value, i) => valueErrors(key, value, `${under}values[${i}]`)),
  ]
}

function valueErrors(key: string, value: string, path: string): readonly FieldError[] {
  const wrong = checkLabelValue(value)
  return wrong.length === 0 ? [] : [fieldError.invalid(`${path}[${key}]`, value, wrong.join("; "))]
}

function countErrors(operator: LabelOperator, given: readonly string[] | undefined, path: string): readonly FieldError[] {
  const values = given ?? []
  const wrong = (why: string): readonly FieldError[] => [fieldError.invalid(path, given ?? null, why)]
  switch (operator) {
    case "in":
    case "notin":
      return values.length > 0 ? [] : wrong("for 'in', 'notin' operators, values set can't be empty")
    case "exists":
    case "!":
      return values.length === 0 ? [] : wrong("values set must be empty for exists and does not exist")
    case "gt":
    case "lt":
      return [
        ...(values.length === 1 ? [] : wrong("for 'Gt', 'Lt' operators, exactly one value is required")),
        ...numberErrors(values, path),
      ]
    default:
      return values.length === 1 ? [] : wrong("exact-match compatibility requires one single value")
  }
}

function numberErrors(values: readonly string[], path: string): readonly FieldError[] {
  return values.flatMap((value, i) => {
    if (integerOf(value) !== undefined) return []
    return [fieldError.invalid(`${path}[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")]
  })
}

/** Reports whether labels meet one requirement; an absent label meets `!=`, `notin` and `!` alone, and `gt` and `lt` compare whole numbers. */
export function matchesRequirement(requirement: LabelRequirement, labels: Readonly<Record<string, string>> | undefined): boolean {
  const found = labels?.[requirement.key]
  // "constructor" is a good key, and every object answers to it, but not with a text.
  const value = typeof found === "string" ? found : undefined
  switch (requirement.operator) {
    case "=":
    case "==":
    case "in":
      return value !== undefined && requirement.values.includes(value)
    case "!=":
    case "notin":
      return value === undefined || !requirement.values.includes(value)
    case "exists":
      return value !== undefined
    case "!":
      return value === undefined
    case "gt":
    case "lt":
      return value !== undefined && compares(value, requirement)
  }
}

/** A label that is no number is on neither side. */
function compares(value: string, { operator, values }: LabelRequirement): boolean {
  const have = integerOf(value)
  const limit = values.length === 1 ? integerOf(values[0]!) : undefined
  if (have === undefined || limit === undefined) return false
  return operator === "gt" ? have > limit : have < limit
}

/** What fits an int64; undefined for everything else. */
function integerOf(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

export function sortedByKey(requirements: readonly LabelRequirement[]): readonly LabelRequirement[] {
  return [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
}
