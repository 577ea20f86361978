import { PilothouseError } from "@pilothouse/seams"

/** A line break would end the header; it usually comes from a copied file. The error does not show the value: it is a secret. */
export function checkedHeader(text: string, what: string): string {
  const trimmed = text.trim()
  if (isHeaderText(trimmed)) return trimmed
  throw new PilothouseError("INVALID", `expected printable characters without spaces in ${what}, found others; copy it again`)
}

/** Reports whether a text can stand in a header: printable ASCII without spaces. */
export function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text)
}
