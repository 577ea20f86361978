import { fieldError, type Int64 } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { type FormatCheck, formatCheck, isKnownFormat } from "../formats/formats.ts"
import type { JsonObject } from "../structural/changed-value.ts"
import { type CombinedRules, checkCombined } from "./combined-rules.ts"
import type { Correlated } from "./correlated.ts"
import { checkNumber, type NumberRule } from "./number-rule.ts"
import type { Validation } from "./result.ts"
import { checkFormat, checkString, Patterns, type StringRule } from "./string-rule.ts"
import { checkEnum, checkType, type TypeRule, valueType } from "./type-rule.ts"

/** How a schema is read. */
export interface ValueRulesOptions {
  /** As upstream reads the schema of a default: formats that mean nothing for a type are named, and int-or-string says nothing about types. */
  readonly ofDefault?: boolean
  /** Of a default, alternatives say nothing about additional properties. */
  readonly inLogic?: boolean
  /** Those of the schema that this one is part of. */
  readonly patterns?: Patterns
}

/** What a schema says about a value, in the order in which upstream checks it. What is below is compiled when a value is first there. */
export class ValueRules {
  readonly #schema: JSONSchemaProps
  readonly #options: ValueRulesOptions
  readonly #type: TypeRule
  readonly #string: StringRule | undefined
  readonly #number: NumberRule
  readonly #format: FormatCheck | undefined
  /** Null where there are none. */
  #combined: CombinedRules | null | undefined
  #properties: ReadonlyMap<string, ValueRules> | undefined
  #additional: ValueRules | undefined
  #items: ValueRules | undefined

  constructor(schema: JSONSchemaProps, options: ValueRulesOptions = {}) {
    this.#schema = schema
    const { patterns = new Patterns() } = options
    this.#options = options.patterns === undefined ? { ...options, patterns } : options
    this.#type = typeRule(schema, options)
    const { format, types } = this.#type
    const [maxLength, minLength] = [limit(schema.maxLength), limit(schema.minLength)]
    const pattern = schema.pattern ?? ""
    const hasString = maxLength !== undefined || minLength !== undefined || pattern !== ""
    this.#string = hasString ? { maxLength, minLength, pattern, patterns } : undefined
    this.#number = numberRule(schema, types.length === 1 ? types[0]! : "", supportedFormat(format, types))
    this.#format = format === "" ? undefined : formatCheck(format)
  }

  /** Adds what is wrong with a value. With `correlated`, the errors of what is as it was before are left out below, not those of the value itself. */
  validate(value: unknown, run: Validation, correlated?: Correlated): void {
    const type = valueType(value)
    if (type === "null") {
      checkType(this.#type, type, value, run)
      this.#checkEnum(null, run)
      return
    }
    // Every check that applies is a match of its own, and the value one more; see `Result`.
    run.result.matches += 3
    if (this.#type.types.length > 0 || this.#type.format !== "") {
      run.result.matches++
      checkType(this.#type, type, value, run)
    }
    checkCombined(this.#combinedRules(), value, run)
    if (type === "string") this.#checkString(value as string, run)
    else if (type === "integer" || type === "number") this.#checkNumber(value as number | bigint, run)
    else if (type === "array") this.#checkList(value as readonly unknown[], run, correlated)
    this.#checkEnum(value, run)
    if (type === "object") this.#checkObject(value as JsonObject, run, correlated)
  }

  #checkEnum(value: unknown, run: Validation): void {
    const allowed = this.#schema.enum
    if (allowed !== undefined && allowed.length > 0) checkEnum(allowed, value, run)
  }

  #checkString(text: string, run: Validation): void {
    run.result.matches++
    if (this.#string !== undefined) checkString(this.#string, text, run)
    if (this.#format === undefined) return
    run.result.matches++
    checkFormat(this.#type.format, this.#format, text, run)
  }

  #checkNumber(value: number | bigint, run: Validation): void {
    run.result.matches++
    checkNumber(this.#number, value, run)
  }

  #checkList(list: readonly unknown[], run: Validation, correlated: Correlated | undefined): void {
    run.result.matches += 2
    const items = this.#itemRules()
    if (items !== undefined) checkItems(items, list, run, correlated)
    this.#checkItemCount(list.length, run)
  }

  #checkItemCount(count: number, run: Validation): void {
    const [min, max] = [limit(this.#schema.minItems), limit(this.#schema.maxItems)]
    if (min !== undefined && count < min) reportFew(count, `${min} items`, run)
    if (max !== undefined && count > max) reportMany(count, max, "items", run)
  }

  #checkObject(object: JsonObject, run: Validation, correlated: Correlated | undefined): void {
    run.result.matches++
    this.#checkPropertyCount(object, run)
    const properties = this.#propertyRules()
    const isRoot = run.isAtRoot
    for (const key in object) {
      const declared = properties.get(key)
      // The type of an object is never ratcheted: old and new are converted to one version.
      const old = isRoot && (key === "kind" || key === "apiVersion") ? undefined : correlated?.key(key)
      if (declared === undefined) this.#checkAdditional(key, object[key], run, old)
      else {
        run.enter(key)
        validateChild(declared, object[key], run, old)
        run.leave()
      }
    }
    for (const key of this.#schema.required ?? []) if (!Object.hasOwn(object, key)) reportRequired(key, run)
  }

  #checkPropertyCount(object: JsonObject, run: Validation): void {
    const [min, max] = [limit(this.#schema.minProperties), limit(this.#schema.maxProperties)]
    if (min === undefined && max === undefined) return
    const count = Object.keys(object).length
    if (min !== undefined && count < min) reportFew(count, `${min} properties`, run)
    if (max !== undefined && count > max) reportMany(count, max, "properties", run)
  }

  #checkAdditional(key: string, value: unknown, run: Validation, correlated: Correlated | undefined): void {
    const { additionalProperties } = this.#schema
    if (additionalProperties === undefined || additionalProperties === true || this.#options.inLogic) return
    if (additionalProperties === false) return reportForbidden(key, run)
    this.#additional ??= new ValueRules(additionalProperties, this.#options)
    run.enterKey(key)
    validateChild(this.#additional, value, run, correlated)
    run.leave()
  }

  #propertyRules(): ReadonlyMap<string, ValueRules> {
    this.#properties ??= new Map(
      Object.entries(this.#schema.properties ?? {}).map(([key, schema]) => [key, new ValueRules(schema, this.#options)]),
    )
    return this.#properties
  }

  #itemRules(): ValueRules | undefined {
    const { items } = this.#schema
    if (items === undefined || Array.isArray(items)) return undefined
    this.#items ??= new ValueRules(items as JSONSchemaProps, this.#options)
    return this.#items
  }

  #combinedRules(): CombinedRules | undefined {
    if (this.#combined === undefined) this.#combined = combinedRules(this.#schema, this.#options) ?? null
    return this.#combined ?? undefined
  }
}

function checkItems(items: ValueRules, list: readonly unknown[], run: Validation, correlated: Correlated | undefined): void {
  for (let index = 0; index < list.length; index++) {
    run.enter(index)
    validateChild(items, list[index], run, correlated?.index(index))
    run.leave()
  }
}

/** Validates a value inside of another one; of what equals its old value nothing is reported. */
export function validateChild(rules: ValueRules, value: unknown, run: Validation, correlated: Correlated | undefined): void {
  if (correlated === undefined) return rules.validate(value, run)
  const result = run.apart(() => rules.validate(value, run, correlated))
  if (!result.isValid && correlated.isEqual) run.result.matches += result.matches
  else run.result.merge(result)
}

function combinedRules(
  { anyOf = [], oneOf = [], allOf = [], not }: JSONSchemaProps,
  options: ValueRulesOptions,
): CombinedRules | undefined {
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return undefined
  const inner = options.ofDefault ? { ...options, inLogic: true } : options
  const rulesOf = (schemas: readonly JSONSchemaProps[]) => schemas.map((schema) => new ValueRules(schema, inner))
  return { anyOf: rulesOf(anyOf), oneOf: rulesOf(oneOf), allOf: rulesOf(allOf), not: not && new ValueRules(not, inner) }
}

function typeRule(schema: JSONSchemaProps, { ofDefault = false }: ValueRulesOptions): TypeRule {
  const { type = "", nullable = false, format = "" } = schema
  const types = schema["x-kubernetes-int-or-string"] && !ofDefault ? ["integer", "string"] : type === "" ? [] : [type]
  return { types, format: ofDefault ? format : supportedFormat(format, types), isNullable: nullable }
}

/** A format that means nothing for the type is ignored. */
function supportedFormat(format: string, types: readonly string[]): string {
  const [type = ""] = types.length === 1 ? types : []
  if (type === "integer") return format === "int32" || format === "int64" ? format : ""
  if (type === "number") return format === "float" || format === "double" ? format : ""
  return (type === "" || type === "string") && isKnownFormat(format) ? format : ""
}

function numberRule(schema: JSONSchemaProps, type: string, format: string): NumberRule {
  const isNumeric = type === "integer" || type === "number"
  return {
    type: isNumeric ? type : "",
    format: isNumeric ? format : "",
    multipleOf: schema.multipleOf,
    minimum: schema.minimum,
    maximum: schema.maximum,
    exclusiveMinimum: schema.exclusiveMinimum === true,
    exclusiveMaximum: schema.exclusiveMaximum === true,
  }
}

function limit(value: Int64 | undefined): number | undefined {
  return value === undefined ? undefined : Number(value)
}

function reportFew(count: number, what: string, run: Validation): void {
  run.report((path) => {
    const sentence = `${path} in body should have at least ${what}`
    return { at: path, sentence, error: (field) => fieldError.invalid(field, count, sentence) }
  })
}

function reportMany(count: number, max: number, what: string, run: Validation): void {
  run.report((path) => {
    const sentence = `${path} in body should have at most ${max} ${what}`
    return { at: path, sentence, error: (field) => fieldError.tooMany(field, count, max) }
  })
}

function reportRequired(key: string, run: Validation): void {
  run.report((path) => {
    const at = `${path}.${key}`
    return { at, sentence: `${at} in body is required`, error: (field) => fieldError.required(field) }
  })
}

function reportForbidden(key: string, run: Validation): void {
  run.report((path) => {
    const sentence = `${path}.${key} in body is a forbidden property`
    return { at: path, sentence, error: (field) => fieldError.invalid(field, key, sentence) }
  })
}
