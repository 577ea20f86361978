import { checkConfigMapKey, deepEqual, type FieldError, fieldError, utf8Length } from "@pilothouse/api"
import type { ConfigMap } from "@pilothouse/api/core/v1"
import { withoutTrailing } from "@pilothouse/seams"
import type { ResourceStrategy } from "./resource.ts"

/** Each consumer reads an object of this kind into memory as a whole. */
export const dataLimit = 1024 * 1024

export const configMap: ResourceStrategy<ConfigMap> = {
  validate({ data = {}, binaryData = {} }) {
    const size =
      Object.values(data).reduce((sum, value) => sum + utf8Length(value), 0) +
      Object.values(binaryData).reduce((sum, value) => sum + decodedLength(value), 0)
    return [
      ...dataKeyErrors(data, "data"),
      ...Object.keys(data)
        .filter((key) => Object.hasOwn(binaryData, key))
        .map((key) => fieldError.invalid(`data[${key}]`, key, "duplicate of key present in binaryData")),
      ...dataKeyErrors(binaryData, "binaryData"),
      ...(size > dataLimit ? [fieldError.tooLong("[]", dataLimit)] : []),
    ]
  },
  validateUpdate: (object, old) => frozenErrors(object, old, ["data", "binaryData"]),
}

export function dataKeyErrors(data: Readonly<Record<string, string>>, field: string): readonly FieldError[] {
  return Object.keys(data).flatMap((key) => checkConfigMapKey(key).map((text) => fieldError.invalid(`${field}[${key}]`, key, text)))
}

export function decodedLength(base64: string): number {
  return Math.floor((withoutTrailing(base64, "=").length * 3) / 4)
}

interface Freezable {
  readonly immutable?: boolean
  readonly data?: unknown
  readonly binaryData?: unknown
}

/** Validates that an object with `immutable: true` does not change: it can only be deleted. */
export function frozenErrors(object: Freezable, old: Freezable, fields: readonly ("data" | "binaryData")[]): readonly FieldError[] {
  if (old.immutable !== true) return []
  const text = "field is immutable when `immutable` is set"
  return [
    ...(object.immutable === true ? [] : [fieldError.forbidden("immutable", text)]),
    ...fields.filter((field) => !deepEqual(object[field] ?? {}, old[field] ?? {})).map((field) => fieldError.forbidden(field, text)),
  ]
}
