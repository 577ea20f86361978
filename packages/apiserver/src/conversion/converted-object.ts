import { type FieldError, formatFieldError, type KubeObject, type ObjectMeta } from "@pilothouse/api"
import { goJsonWord } from "@pilothouse/api/patch"
import { stringifyJson } from "@pilothouse/seams"
import { valueCount } from "../body/body-limit.ts"
import { copyManagedFields } from "../managedfields/object-managed-fields.ts"
import { maxObjectValues } from "../storage/object-size.ts"
import { validateAnnotations, validateLabels } from "../validation/object-meta.ts"

/** What is wrong with an object that a webhook has answered with: upstream says it in one of three places. */
export class InvalidConversion extends Error {
  override readonly name = "InvalidConversion"
  readonly of: "body" | "type" | "identity" | "metadata"

  constructor(of: InvalidConversion["of"], message: string) {
    super(message)
    this.of = of
  }
}

type Json = Readonly<Record<string, unknown>>

/**
 * Returns the object that a webhook has made of an original, with the original's metadata but for labels and annotations. Throws an InvalidConversion.
 */
export function convertedObject(original: KubeObject, value: unknown, apiVersion: string): KubeObject {
  const made = objectIn(value)
  if (valueCount(made, maxObjectValues) > maxObjectValues) {
    throw new InvalidConversion("body", `limit of fields and list items is ${maxObjectValues}`)
  }
  checkType(made, apiVersion, original.kind ?? "")
  checkIdentity(made, original)
  const { metadata: given, ...content } = made
  const metadata = restoredMetadata(original.metadata, given)
  return copyManagedFields(original, { ...content, kind: original.kind, apiVersion, metadata } as KubeObject)
}

function objectIn(value: unknown): Json {
  if (value === null || value === undefined) throw new InvalidConversion("body", "unexpected end of JSON input")
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new InvalidConversion("body", `json: cannot unmarshal ${goJsonWord(value)} into Go value of type map[string]interface {}`)
  }
  if (textIn(value as Json, "kind") !== "") return value as Json
  throw new InvalidConversion("body", `Object 'Kind' is missing in '${stringifyJson(value)}'`)
}

function textIn(value: Json, field: string): string {
  const text = Object.hasOwn(value, field) ? value[field] : ""
  return typeof text === "string" ? text : ""
}

function checkType(made: Json, apiVersion: string, kind: string): void {
  const given = { apiVersion: textIn(made, "apiVersion"), kind: textIn(made, "kind") }
  const received = given.apiVersion.split("/").length > 2 ? "" : given.apiVersion
  if (received !== apiVersion) {
    throw new InvalidConversion("type", `invalid groupVersion (expected ${apiVersion}, received ${received})`)
  }
  if (given.kind !== kind) throw new InvalidConversion("type", `invalid kind (expected ${kind}, received ${given.kind})`)
}

function checkIdentity({ metadata }: Json, original: KubeObject): void {
  const given = (isObject(metadata) ? metadata : {}) as Json
  for (const [field, word] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["uid", "UID"],
  ] as const) {
    const [expected, found] = [original.metadata[field] ?? "", textIn(given, field)]
    if (expected !== found) throw new InvalidConversion("identity", `must have the same ${word}: ${expected} != ${found}`)
  }
}

function restoredMetadata(original: ObjectMeta, given: unknown): ObjectMeta {
  const refused = (why: string) => new InvalidConversion("metadata", why)
  if (given === undefined) throw refused("missing metadata in converted object")
  if (!isObject(given)) throw refused(`invalid metadata of type ${goType(given)} in converted object`)
  const { labels: _labels, annotations: _annotations, ...rest } = original
  const [labels, annotations] = [textsIn(given, "labels", original), textsIn(given, "annotations", original)]
  return { ...rest, ...(labels !== undefined && { labels }), ...(annotations !== undefined && { annotations }) }
}

const rules = {
  labels: (texts: Readonly<Record<string, string>>) => validateLabels(texts, "metadata.labels"),
  // The field is written so upstream.
  annotations: (texts: Readonly<Record<string, string>>) => validateAnnotations(texts, "metadata.annotation"),
}

/** Checked where something has changed: what is stored may break rules of today. */
function textsIn(metadata: Json, field: "labels" | "annotations", original: ObjectMeta): Readonly<Record<string, string>> | undefined {
  const given = metadata[field] ?? undefined
  if (given === undefined) return undefined
  if (!isObject(given)) throw new InvalidConversion("metadata", `invalid metadata.${field} of type ${goType(given)} in converted object`)
  const before = original[field] ?? {}
  let isChanged = Object.keys(before).length !== Object.keys(given).length
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== "string") {
      throw new InvalidConversion("metadata", `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`)
    }
    isChanged ||= !Object.hasOwn(before, key) || before[key] !== value
  }
  const texts = given as Readonly<Record<string, string>>
  const errors = isChanged ? rules[field](texts) : []
  if (errors.length > 0) throw new InvalidConversion("metadata", aggregated(errors))
  return texts
}

/** As Go prints several errors. */
function aggregated(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(formatFieldError))]
  return texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** What %T prints of JSON. */
function goType(value: unknown): string {
  if (value === null) return "<nil>"
  if (Array.isArray(value)) return "[]interface {}"
  if (typeof value === "object") return "map[string]interface {}"
  if (typeof value === "boolean") return "bool"
  if (typeof value === "string") return "string"
  return Number.isInteger(value) || typeof value === "bigint" ? "int64" : "float64"
}
