import { badRequest, type Descriptor, fieldError, invalid, type StatusError } from "@pilothouse/api"
import { goJsonWord } from "@pilothouse/api/patch"
import { stringifyJson } from "@pilothouse/seams"
import { coerceToSchema, type Findings } from "../body/coerce-to-schema.ts"
import { unrecognized } from "../body/unrecognized-body.ts"
import { objectMetaSchema } from "./schema/embedded-resources.ts"

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
  // A patch may have taken any of them away.
  const given = value as { readonly apiVersion?: unknown; readonly kind?: unknown; readonly metadata?: { readonly name?: unknown } }
  for (const [field, said] of [
    ["Kind", given.kind],
    ["apiVersion", given.apiVersion],
  ]) {
    if (said === undefined || (said === "" && field === "Kind")) throw missingField(kind, String(field), value)
  }
  if (typeof given.kind !== "string" || typeof given.apiVersion !== "string") {
    const [field, said] = typeof given.apiVersion === "string" ? ["kind", given.kind] : ["apiVersion", given.apiVersion]
    const why = `json: cannot unmarshal ${goJsonWord(said)} into Go struct field .${field} of type string`
    throw unrecognizedValue(kind, `couldn't get version/kind; json parse error: ${why}`, value)
  }
  if (given.apiVersion.split("/").length > 2) {
    throw unrecognizedValue(kind, `unexpected GroupVersion string: ${given.apiVersion}`, value)
  }
  const expected = `${group}/${version}`
  // In upstream's order: a body of another version is not looked at further.
  if (given.apiVersion !== expected) {
    throw badRequest(`the API version in the data (${given.apiVersion}) does not match the expected API version (${expected})`)
  }
  if (given.kind !== kind) {
    // Named by what the body says that it is.
    throw invalid({ group, kind: given.kind }, String(given.metadata?.name ?? ""), [
      fieldError.invalid("kind", given.kind, `must be ${kind}`),
    ])
  }
  return expected
}

/** The whole body is named, as by upstream's decoder. */
function missingField(kind: string, field: string, value: object): StatusError {
  return unrecognizedValue(kind, `Object '${field}' is missing in '${stringifyJson(value)}'`, value)
}

function unrecognizedValue(kind: string, why: string, value: object): StatusError {
  return unrecognized(kind, why, new TextEncoder().encode(stringifyJson(value)))
}
