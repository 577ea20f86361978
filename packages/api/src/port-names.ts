import { tooLong } from "./names.ts"

/** The name of a container's port (RFC 6335): 15 of a-z, 0-9 and single dashes, with a letter among them. */
export function checkPortName(name: string): readonly string[] {
  const wrong = [...tooLong(name, 15, "characters")]
  if (!/^[-a-z0-9]+$/.test(name)) wrong.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
  if (!/[a-z]/.test(name)) wrong.push("must contain at least one letter (a-z)")
  if (name.includes("--")) wrong.push("must not contain consecutive hyphens")
  if (name.startsWith("-") || name.endsWith("-")) wrong.push("must not begin or end with a hyphen")
  return wrong
}

export function checkPortNumber(port: number): readonly string[] {
  return port >= 1 && port <= 65535 ? [] : ["must be between 1 and 65535, inclusive"]
}
