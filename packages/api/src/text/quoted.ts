const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u
const plain = /^[ !#-[\]-~]*$/
const named: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
}

/** A text in double quotes the way Go's %q writes it: that is how a value stands in every message of Kubernetes. */
export function quoted(text: string): string {
  if (plain.test(text)) return `"${text}"`
  return `"${Array.from(text, escaped).join("")}"`
}

function escaped(character: string): string {
  const name = named[character]
  if (name !== undefined) return name
  if (printable.test(character)) return character
  const code = character.codePointAt(0)!
  // Half of a surrogate pair is no character; Go shows what a decoder would put in its place.
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd"
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`
}
