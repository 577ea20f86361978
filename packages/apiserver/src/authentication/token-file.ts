import { PilothouseError } from "@pilothouse/seams"
import type { Identity } from "../identity.ts"

/**
 * Who has which bearer token, from the text of a --token-auth-file: lines of `token,user,uid,"group1,group2"`, the groups left out or not.
 * The first line of a token counts, as upstream.
 */
export function readTokenFile(text: string, path: string): ReadonlyMap<string, Identity> {
  const tokens = new Map<string, Identity>()
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "" || line.startsWith("#")) return
    const [token = "", name = "", uid = "", groups = ""] = fieldsOf(line)
    if (token === "" || name === "") {
      // The line itself is a secret: only its number is said.
      throw new PilothouseError(
        "FILE",
        `expected token,user,uid,"group1,group2" in line ${index + 1} of ${path}, found less; mend the line`,
      )
    }
    if (tokens.has(token)) return
    const listed = groups.split(",").map((group) => group.trim())
    tokens.set(token, { name, ...(uid !== "" && { uid }), groups: listed.filter((group) => group !== "") })
  })
  return tokens
}

/** The fields of a line of CSV: bare, or in quotes with "" for a quote. */
function fieldsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?=,|$)/g)].map(([, quoted, bare = ""]) =>
    quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"'),
  )
}
