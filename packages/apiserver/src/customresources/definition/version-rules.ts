import { type FieldError, fieldError } from "@pilothouse/api"
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  JSONSchemaProps,
  SelectableField,
} from "@pilothouse/api/apiextensions/v1"
import { findField } from "@pilothouse/api/jsonpath"
import { maxSelectableFields } from "./ratchet.ts"
import { invalidPointer } from "./schema/go-form.ts"

const maxWarningBytes = 256

/** Returns what is wrong with the text that clients of a deprecated version are warned with. */
export function deprecationErrors(deprecated: boolean | undefined, warning: string | undefined, path: string): readonly FieldError[] {
  if (warning === undefined) return []
  const texts = deprecated === true ? warningFaults(warning) : ["can only be set for deprecated versions"]
  return texts.map((text) => invalidPointer(`${path}.deprecationWarning`, warning, text))
}

function warningFaults(warning: string): readonly string[] {
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning)
  const at = odd === null ? 0 : Buffer.byteLength(warning.slice(0, odd.index))
  return [
    ...(Buffer.byteLength(warning) > maxWarningBytes ? ["must be <= 256 characters long"] : []),
    ...(warning === "" ? ["must not be an empty string"] : []),
    ...(odd === null ? [] : [`must only contain printable UTF-8 characters; non-printable character found at index ${at}`]),
  ]
}

/** Returns what is wrong with the paths of the scale subresource. */
export function subresourceErrors({ scale }: CustomResourceSubresources, path: string): readonly FieldError[] {
  if (scale === undefined) return []
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath = "" } = scale
  return [
    ...replicasErrors(specReplicasPath, "spec", `${path}.scale.specReplicasPath`),
    ...replicasErrors(statusReplicasPath, "status", `${path}.scale.statusReplicasPath`),
    ...selectorErrors(labelSelectorPath, `${path}.scale.labelSelectorPath`),
  ]
}

function replicasErrors(jsonPath: string, part: "spec" | "status", field: string): readonly FieldError[] {
  if (jsonPath === "") return [fieldError.required(field)]
  if (!jsonPath.startsWith(".")) return [notSimple(jsonPath, field)]
  return jsonPath.startsWith(`.${part}.`) ? [] : [fieldError.invalid(field, jsonPath, `should be a json path under .${part}`)]
}

function selectorErrors(jsonPath: string, field: string): readonly FieldError[] {
  if (jsonPath === "" || /^\.(?:spec|status)\./.test(jsonPath)) return []
  if (!jsonPath.startsWith(".")) return [notSimple(jsonPath, field)]
  return [invalidPointer(field, jsonPath, "should be a json path under either .spec or .status")]
}

function notSimple(jsonPath: string, field: string): FieldError {
  return fieldError.invalid(field, jsonPath, "must be a simple json path starting with .")
}

const columnTypes = ["boolean", "date", "integer", "number", "string"]
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"]

/** Returns what is wrong with columns that kubectl shows. */
export function columnErrors(columns: readonly CustomResourceColumnDefinition[], path: string): readonly FieldError[] {
  return columns.flatMap((column, index) => oneColumnErrors(column, `${path}[${index}]`))
}

function oneColumnErrors({ name, type, format = "", jsonPath }: CustomResourceColumnDefinition, path: string): readonly FieldError[] {
  const types = `must be one of ${columnTypes.join(",")}`
  const formats = `must be one of ${columnFormats.join(",")}`
  return [
    ...(name === "" ? [fieldError.required(`${path}.name`)] : []),
    ...(type === "" ? [fieldError.required(`${path}.type`, types)] : []),
    ...(type === "" || columnTypes.includes(type) ? [] : [fieldError.invalid(`${path}.type`, type, types)]),
    ...(format === "" || columnFormats.includes(format) ? [] : [fieldError.invalid(`${path}.format`, format, formats)]),
    ...(jsonPath === "" ? [fieldError.required(`${path}.JSONPath`)] : []),
    ...(jsonPath === "" || jsonPath.startsWith(".") ? [] : [notSimple(jsonPath, `${path}.JSONPath`)]),
  ]
}

/** Returns what is wrong with the fields that field selectors may name. */
export function selectableFieldErrors(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps,
  path: string,
  mayBeMany: boolean,
): readonly FieldError[] {
  const seen = new Set<string>()
  const errors = fields.flatMap(({ jsonPath }, index) => {
    const at = `${path}[${index}].jsonPath`
    if (jsonPath === "") return [fieldError.required(at)]
    const found = findField(jsonPath, schema, { brackets: false })
    if (typeof found === "string") return [fieldError.invalid(at, jsonPath, `is an invalid path: ${found}`)]
    const again = seen.has(found.path)
    seen.add(found.path)
    const scalar = ["string", "boolean", "integer"].includes(found.schema?.type ?? "")
    const text = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
    return [
      ...(found.root === "metadata" ? [fieldError.invalid(at, jsonPath, "must not point to fields in metadata")] : []),
      ...(scalar ? [] : [fieldError.invalid(at, jsonPath, text)]),
      ...(again ? [fieldError.duplicate(at, jsonPath)] : []),
    ]
  })
  if (seen.size <= maxSelectableFields || mayBeMany) return errors
  return [...errors, fieldError.tooMany(path, seen.size, maxSelectableFields)]
}
