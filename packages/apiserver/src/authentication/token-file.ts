import { PilothouseError } from "@pilothouse/seams"
import type { Identity } from "./identity.ts"

/**
 * Returns the users by their bearer tokens, from the text of a --token-auth-file: lines of `token,user,uid,"group1,group2"`, the groups left out or not.
 * As upstream: of two lines of one token the last counts, a line with an empty token counts for nothing; `warn` is called with both.
 */
export function readTokenFile(text: string, path: string, warn: (warning: string) => void = () => {}): ReadonlyMap<string, Identity> {
  const tokens = new Map<string, Identity>()
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "") return
    const fields = fieldsOf(line)
    const where = `line ${index + 1} of ${path}`
    if (fields.length < 3) {
      if (line.startsWith("#")) return
      // The line itself is a secret: only its number is said.
      throw new PilothouseError("FILE", `expected token,user,uid,"group1,group2" in ${where}, found less; mend the line`)
    }
    const [token = "", name = "", uid = "", groups = ""] = fields
    if (token === "") return warn(`an empty token has been found in ${where}; the line counts for nothing`)
    if (tokens.has(token)) warn(`a duplicate token has been found in ${where}; the last line of a token counts`)
    const listed = groups.split(",").map((group) => group.trim())
    tokens.set(token, { name, ...(uid !== "" && { uid }), groups: listed.filter((group) => group !== "") })
  })
  return tokens
}

/** The fields of a line of CSV: bare, or in quotes with "" for a quote. */
function fieldsOf(line: string): readonly string[] {
  const fields: string[] = []
  for (const [, quoted, bare = "", comma] of line.matchAll(/\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(,|$)/g)) {
    fields.push(quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"'))
    if (comma === "") break
  }
  return fields
}
