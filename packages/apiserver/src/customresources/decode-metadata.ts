import { badRequest, type Descriptor, fieldError, invalid, type Schema } from "@pilothouse/api"
import { configMaps } from "@pilothouse/api/core/v1"
import { schemaOf } from "@pilothouse/api/schemas"
import { stringifyJson } from "@pilothouse/seams"
import { coerceToSchema, type Findings } from "../body/coerce-to-schema.ts"
import { unrecognized } from "../body/unrecognized-body.ts"
import { lazy } from "../server/lazy.ts"

/** The same for every kind. */
export const objectMetaSchema: () => Schema = lazy(() => schemaOf(configMaps)!.fields!.metadata!.schema)

/** Returns the metadata of a body, which is decoded as that of any kind whatever the schema of the definition says of it. */
export function decodeMetadata(metadata: unknown, findings: Findings): Record<string, unknown> {
  if (metadata === undefined || metadata === null) return {}
  const found: Findings = { unknownFields: [], literals: findings.literals }
  const decoded = coerceToSchema(metadata, objectMetaSchema(), found) as Record<string, unknown>
  findings.unknownFields.push(...found.unknownFields.map((path) => `metadata.${path}`))
  return decoded
}

/** Returns the apiVersion of a body; throws where the body does not say what it is, or is of another kind. */
export function checkTypeMeta(value: object, { group, version, kind }: Pick<Descriptor, "group" | "version" | "kind">): string {
  const given = value as { readonly apiVersion?: unknown; readonly kind?: unknown; readonly metadata?: { readonly name?: unknown } }
  for (const [field, said] of [
    ["Kind", given.kind],
    ["apiVersion", given.apiVersion],
  ]) {
    if (said === undefined || said === "") {
      const text = stringifyJson(value)
      throw unrecognized(kind, `Object '${String(field)}' is missing in '${text}'`, new TextEncoder().encode(text))
    }
  }
  const expected = `${group}/${version}`
  if (given.apiVersion !== expected) {
    throw badRequest(`the API version in the data (${String(given.apiVersion)}) does not match the expected API version (${expected})`)
  }
  if (given.kind !== kind) {
    throw invalid({ group, kind }, String(given.metadata?.name ?? ""), [fieldError.invalid("kind", given.kind, `must be ${kind}`)])
  }
  return expected
}
