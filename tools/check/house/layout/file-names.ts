import type { Rule } from "../rule.ts"
import { placeOf } from "../tree/place.ts"

const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|property\.test|contract|config|bench|d))?\.(ts|js)$/

const saysNothing = /^(utils?|helpers?|common|misc)\.(ts|js)$/

/** A file's name is the word that a newcomer would search for. */
export const fileNames: Rule = {
  name: "names",
  check({ modules }) {
    const named = modules.filter(({ path }) => !placeOf(path).generated)
    return named.flatMap(({ path }) => {
      const name = path.split("/").at(-1)!
      const at = { file: path, line: 1, found: name }
      if (!kebabCase.test(name)) return [{ ...at, expected: "a name in kebab-case", fix: "rename it" }]
      if (saysNothing.test(name)) return [{ ...at, expected: "a name that says what is inside", fix: "split it by subject" }]
      return []
    })
  },
}
