import type { Rule } from "../rule.ts"
import { isOwnSource } from "../tree/place.ts"

const packageIndex = /^@pilothouse\/[^/]+$/

/** The bundler keeps all that a dynamic import may reach: of a package's index that is the whole package, in every command. */
export const dynamicImports: Rule = {
  name: "dynamic-imports",
  check({ modules }) {
    return modules
      .filter(({ path }) => isOwnSource(path))
      .flatMap(({ path: file, imports }) =>
        imports
          .filter(({ dynamic, specifier }) => dynamic && packageIndex.test(specifier))
          .map(({ line, specifier }) => ({
            file,
            line,
            expected: "a dynamic import of a file that names what it needs",
            found: `import("${specifier}")`,
            fix: `export the names from "${specifier}" in a file of their own, and import that`,
          })),
      )
  },
}
