/** Only what stands in texts: none of these is part of JSON's own grammar. */
const escaped = /[<>&\u2028\u2029]/g

/**
 * JSON with the escapes of Go's encoder: the same value in another text. A server that keeps JSON as text (the data of a ControllerRevision)
 * hands that text to programs that compare it byte by byte.
 */
export function escapedAsGo(json: string): string {
  return json.replace(escaped, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
