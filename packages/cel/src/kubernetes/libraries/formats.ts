import { checkDns1035Label, checkDns1123Label, checkDns1123Subdomain, checkLabelKey, checkLabelValue } from "@pilothouse/api"
import { actualSize, type CostRule, patternFactor, sizeOf, traversal, traversalFactor, unitCost } from "../../cost/cost-rule.ts"
import { scale } from "../../cost/interval.ts"
import type { Library } from "../../environment/environment.ts"
import { defineOverloads, type OverloadRow } from "../../environment/overload.ts"
import { opaqueType } from "../../types/types.ts"
import { parseTimestamp } from "../../values/timestamp.ts"
import { EvaluationError, Opaque, Optional, type Value } from "../../values/value.ts"
import { base64 } from "../schema/schema-values.ts"
import { requestUrlFault } from "./url-parts.ts"

const formatType = opaqueType("kubernetes.NamedFormat")

/** A named format of texts. */
class Format extends Opaque {
  readonly type = formatType
  readonly name: string
  /** How long the pattern is that the format is charged for. */
  readonly patternSize: number
  readonly validate: (text: string) => readonly string[]

  constructor(name: string, patternSize: number, validate: (text: string) => readonly string[]) {
    super()
    this.name = name
    this.patternSize = patternSize
    this.validate = validate
  }

  equals(other: Opaque): boolean {
    return other instanceof Format && this.name === other.name
  }
}

function matching(test: (text: string) => boolean, fault: string): (text: string) => readonly string[] {
  return (text) => (test(text) ? [] : [fault])
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

function isMoment(text: string): boolean {
  try {
    return parseTimestamp(text) !== undefined
  } catch (error) {
    if (error instanceof EvaluationError) return false
    throw error
  }
}

/** The formats by the names that expressions use, each with a text that has it and one that does not. */
const formats: readonly (readonly [name: string, format: Format, valid: string, invalid: string])[] = [
  ["dns1123Label", new Format("DNS1123Label", 30, (text) => checkDns1123Label(text)), "my-name", "My.Name"],
  ["dns1123Subdomain", new Format("DNS1123Subdomain", 60, (text) => checkDns1123Subdomain(text)), "my.name", "my..name"],
  ["dns1035Label", new Format("DNS1035Label", 30, (text) => checkDns1035Label(text)), "my-name", "1-name"],
  ["qualifiedName", new Format("QualifiedName", 60, (text) => checkLabelKey(text)), "example.com/my-name", "a/b/c"],
  ["dns1123LabelPrefix", new Format("DNS1123LabelPrefix", 30, (text) => checkDns1123Label(text, { prefix: true })), "my-name-", "-name"],
  [
    "dns1123SubdomainPrefix",
    new Format("DNS1123SubdomainPrefix", 60, (text) => checkDns1123Subdomain(text, { prefix: true })),
    "my.name-",
    ".name",
  ],
  ["dns1035LabelPrefix", new Format("DNS1035LabelPrefix", 30, (text) => checkDns1035Label(text, { prefix: true })), "my-name-", "1name"],
  ["labelValue", new Format("LabelValue", 40, (text) => checkLabelValue(text)), "my_value", "my value"],
  ["uri", new Format("URI", 1103, (text) => faultsOf(requestUrlFault(text))), "https://example.com", "example.com"],
  [
    "uuid",
    new Format(
      "uuid",
      70,
      matching((text) => uuid.test(text), "does not match the UUID format"),
    ),
    "123e4567-e89b-12d3-a456-426614174000",
    "123",
  ],
  [
    "byte",
    new Format(
      "byte",
      84,
      matching((text) => text !== "" && base64.test(text), "invalid base64"),
    ),
    "aGk=",
    "a",
  ],
  [
    "date",
    new Format(
      "date",
      71,
      matching((text) => isMoment(`${text}T00:00:00Z`), "invalid date"),
    ),
    "2020-01-31",
    "2020-02-31",
  ],
  ["datetime", new Format("datetime", 71, matching(isMoment, "invalid datetime")), "2020-01-31T00:00:00Z", "2020-01-31"],
]

function faultsOf(fault: string | undefined): readonly string[] {
  return fault === undefined ? [] : [fault]
}

const byName: ReadonlyMap<string, Format> = new Map(formats.map(([name, format]) => [name, format]))

/** No pattern of a named format is longer. */
const longestPattern = 128

const validateCost: CostRule = {
  actual([format, text]) {
    if (!(format instanceof Format)) return 1
    return traversal(1 + actualSize(text as Value)) * Math.ceil(format.patternSize * patternFactor)
  },
  estimate: ([, text]) => ({ cost: scale(scale(sizeOf(text), traversalFactor), longestPattern * patternFactor) }),
}

const constants: readonly OverloadRow[] = formats.map(([name, format, valid, invalid]) => ({
  id: `format.${name}`,
  name: `format.${name}`,
  function: "() -> kubernetes.NamedFormat",
  evaluate: () => format,
  cost: unitCost,
  example: `!format.${name}().validate('${valid}').hasValue() && format.${name}().validate('${invalid}').hasValue()`,
}))

function validate(format: Format, text: string): Optional {
  const faults = format.validate(text)
  return faults.length === 0 ? Optional.none : new Optional(faults)
}

function named(name: string): Optional {
  const format = byName.get(name)
  return format ? new Optional(format) : Optional.none
}

/** Kubernetes' named formats: `format.dns1123Label().validate('a')`. */
export const formatLibrary: Library = {
  name: "kubernetes.format",
  overloads: defineOverloads([
    ...constants,
    {
      id: "format-validate",
      name: "validate",
      method: "(kubernetes.NamedFormat, string) -> optional(list(string))",
      evaluate: validate,
      cost: validateCost,
      example: "format.uuid().validate('1').value() == ['does not match the UUID format']",
    },
    {
      id: "format-named",
      name: "format.named",
      function: "(string) -> optional(kubernetes.NamedFormat)",
      evaluate: named,
      cost: unitCost,
      example: "format.named('uuid').hasValue() && !format.named('other').hasValue()",
    },
  ]),
}
