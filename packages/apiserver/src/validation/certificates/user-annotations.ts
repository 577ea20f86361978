import { checkLabelKey, type FieldError, fieldError, utf8Length } from "@pilothouse/api"

const sizeLimit = 256 * 1024

/** Validates what a pod's owner says to a signer: keys with a domain, "example.com/key". */
export function userAnnotationErrors(annotations: Readonly<Record<string, string>>, field: string): readonly FieldError[] {
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0)
  return [
    ...Object.keys(annotations).flatMap((key) => keyErrors(key.toLowerCase(), field)),
    ...(size > sizeLimit ? [fieldError.tooLong(field, sizeLimit)] : []),
  ]
}

function keyErrors(key: string, field: string): readonly FieldError[] {
  if (key === "") return [fieldError.required(field)]
  const texts = checkLabelKey(key)
  if (texts.length > 0) return texts.map((text) => fieldError.invalid(field, key, text))
  return key.includes("/") ? [] : [fieldError.invalid(field, key, 'must be a domain-prefixed key (such as "acme.io/foo")')]
}
