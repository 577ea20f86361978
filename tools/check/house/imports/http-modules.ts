import type { Rule } from "../rule.ts"
import { isOwnSource } from "../tree/place.ts"

/** An import of these makes Node load everything that they offer, its fetch among it: 85 ms of CPU and 14 MB for every start of the program. */
const heavyModules: readonly string[] = ["node:http", "node:https", "http", "https"]

export const httpModulesAreNotImported: Rule = {
  name: "http-modules",
  check({ modules }) {
    return modules
      .filter(({ path }) => isOwnSource(path))
      .flatMap(({ path: file, imports }) =>
        imports
          .filter(({ typeOnly, specifier }) => !typeOnly && heavyModules.includes(specifier))
          .map(({ line, specifier }) => ({
            file,
            line,
            expected: "Node's HTTP without its fetch",
            found: `an import of ${specifier}`,
            fix: `call process.getBuiltinModule("${specifier}") where it is used, and import only its types`,
          })),
      )
  },
}
