import { deepEqual, type FieldError, fieldError } from "@pilothouse/api"
import type { CustomResourceValidation, JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { lazy } from "@pilothouse/seams"
import { stepsOf } from "../schema/formats/pattern.ts"
import { compiledRules, DefaultsCost } from "../schema/rules.ts"
import { someSchema } from "../schema/structural/schema-walk.ts"
import type { Strictness } from "./ratchet.ts"
import { type DefaultOptions, defaultErrors } from "./schema/default-rules.ts"
import { goFieldsOf, goSchema } from "./schema/go-form.ts"
import { schemaErrors } from "./schema/schema-rules.ts"
import { structuralErrors, structuralFault } from "./schema/structural-schema.ts"

/** The keywords, by their names in Go, that still hold when status is validated by itself. */
const besideStatus =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations"

/** Returns what is wrong with the schema of a version, or of all versions together. */
export function rootSchemaErrors(
  validation: CustomResourceValidation | undefined,
  hasStatus: boolean,
  path: string,
  strictness: Strictness,
  cost = new DefaultsCost(),
): readonly FieldError[] {
  const schema = validation?.openAPIV3Schema
  if (schema === undefined) return []
  const at = `${path}.openAPIV3Schema`
  if (stepsOfPatterns(schema) > maxPatternSteps) return [fieldError.invalid(at, "", tooManySteps)]
  const fault = strictness.requiresStructuralSchemas ? structuralFault(schema) : undefined
  const isRead = strictness.requiresStructuralSchemas && fault === undefined
  // What was accepted once stays accepted, whatever the limits of costs are now.
  const isStored = strictness.storedSchemas.some((stored) => deepEqual(stored, schema))
  const rules = lazy(() => (isStored ? undefined : compiledRules(schema, at)))
  const structure = isRead ? structureErrors(schema, at, { pruned: strictness.requiresPrunedDefaults, rules, cost }) : []
  const keywords = schemaErrors(schema, at, strictness)
  const errors = [
    ...(hasStatus ? besideStatusErrors(schema, at) : []),
    ...(schema.nullable === true ? [fieldError.forbidden(`${at}.nullable`, "nullable cannot be true at the root")] : []),
    ...structure,
    ...keywords,
    ...(isRead && structure.length === 0 ? expressionErrors(keywords, rules) : []),
  ]
  // Most faults are found by other rules too, which say where.
  return errors.length === 0 && fault !== undefined ? [fieldError.invalid(at, "", fault)] : errors
}

/** Compiling so many takes some tenths of a second, in which nothing else is served. */
const maxPatternSteps = 200_000
const tooManySteps = `the repetitions of its patterns, such as {1,63}, add up to more than ${maxPatternSteps}`

function stepsOfPatterns(schema: JSONSchemaProps): number {
  const sources = new Set<string>()
  someSchema(schema, ({ pattern = "" }) => {
    sources.add(pattern)
    return false
  })
  return [...sources].reduce((sum, source) => sum + stepsOf(source), 0)
}

/** Defaults are validated with the schema and its rules, and so once it is structural. */
function structureErrors(schema: JSONSchemaProps, path: string, options: DefaultOptions): readonly FieldError[] {
  const errors = structuralErrors(schema, path)
  return errors.length > 0 ? errors : defaultErrors(schema, path, options)
}

const maxOtherErrors = 500

/** Rules are read where neither their schema nor what is below it has an error: the types of its values are known there alone. */
function expressionErrors(others: readonly FieldError[], rules: DefaultOptions["rules"]): readonly FieldError[] {
  // So many are not read to their end; and each is compared with each rule.
  if (others.length > maxOtherErrors) return []
  const errors = rules()?.errors ?? []
  return errors.filter(({ field }) => {
    const place = field.split(".x-kubernetes-validations", 1)[0]!
    return place === field || !others.some((other) => other.field.startsWith(place))
  })
}

function besideStatusErrors(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const allowed = besideStatus.split(" ")
  const { type = "" } = schema
  const wrong = goFieldsOf(schema).find((field) => (field === "Type" ? type !== "object" : !allowed.includes(field)))
  if (wrong === undefined) return []
  if (wrong === "Type") {
    const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    return [fieldError.invalid(`${path}.type`, type, text)]
  }
  const text = `only [${besideStatus}] fields are allowed at the root of the schema if the status subresource is enabled`
  return [fieldError.invalid(path, goSchema(schema), text)]
}
