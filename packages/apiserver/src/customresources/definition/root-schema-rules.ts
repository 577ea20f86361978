import { deepEqual, type FieldError, fieldError } from "@pilothouse/api"
import type { CustomResourceValidation, JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { ruleErrors } from "../rules.ts"
import type { Strictness } from "./ratchet.ts"
import { defaultErrors } from "./schema/default-rules.ts"
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
): readonly FieldError[] {
  const schema = validation?.openAPIV3Schema
  if (schema === undefined) return []
  const at = `${path}.openAPIV3Schema`
  const fault = strictness.requiresStructuralSchemas ? structuralFault(schema) : undefined
  const errors = [
    ...(hasStatus ? besideStatusErrors(schema, at) : []),
    ...(schema.nullable === true ? [fieldError.forbidden(`${at}.nullable`, "nullable cannot be true at the root")] : []),
    ...(strictness.requiresStructuralSchemas && fault === undefined ? structureErrors(schema, at, strictness) : []),
    ...schemaErrors(schema, at, strictness),
  ]
  // Most faults are found by other rules too, which say where.
  return errors.length === 0 && fault !== undefined ? [fieldError.invalid(at, "", fault)] : errors
}

/** Defaults are validated with the schema, and so once it is structural. */
function structureErrors(
  schema: JSONSchemaProps,
  path: string,
  { requiresPrunedDefaults, storedSchemas }: Strictness,
): readonly FieldError[] {
  const errors = structuralErrors(schema, path)
  if (errors.length > 0) return errors
  // What was accepted once stays accepted, whatever the limits of costs are now.
  const rules = storedSchemas.some((stored) => deepEqual(stored, schema)) ? [] : ruleErrors(schema, path)
  return [...defaultErrors(schema, path, { pruned: requiresPrunedDefaults }), ...rules]
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
