import { withoutSecrets } from "@pilothouse/seams"
import { parse } from "yaml"

/** A YAML file with tokens or passwords in it, which no error shows. */
export function parseCredentials(text: string, path: string): unknown {
  return withoutSecrets(path, () => parse(text, { logLevel: "error" }))
}
