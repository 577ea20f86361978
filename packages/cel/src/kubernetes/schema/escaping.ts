import { reserved } from "../../syntax/expansion.ts"

const replacements: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
}

/** Returns the name by which expressions select a property, or undefined if none can: `a-b` is `a__dash__b`, `namespace` is `__namespace__`. */
export function escapeProperty(property: string): string | undefined {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(property)) return undefined
  if (reserved.has(property)) return `__${property}__`
  return property.replace(/__|[./-]/g, (part) => replacements[part] as string)
}
