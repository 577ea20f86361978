import { type Files, PilothouseError, readText } from "@pilothouse/seams"

/** The text of a file that a flag names. */
export function fileOf(files: Files, flag: string, path: string): string {
  const text = readText(files, path)
  if (text !== undefined) return text
  throw new PilothouseError("USAGE", `expected a file at ${path} for ${flag}, found none; mend the path`)
}

/** The same for a file that must hold PEM: a wrong one is named here, not by the TLS library without its name. */
export function pemOf(files: Files, flag: string, path: string): string {
  const text = fileOf(files, flag, path)
  if (text.includes("-----BEGIN ")) return text
  throw new PilothouseError("USAGE", `expected a PEM file at ${path} for ${flag}, found something else; mend the path or the file`)
}
