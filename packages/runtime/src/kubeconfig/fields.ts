import { PilothouseError } from "@pilothouse/seams"

/** What stands in a field: text, true or false, a list, or fields (a mapping). Fields that are not here are nobody's business. */
export const clusterFields = {
  server: "text",
  "certificate-authority": "text",
  "certificate-authority-data": "text",
  "tls-server-name": "text",
  "insecure-skip-tls-verify": "true or false",
  "proxy-url": "text",
  extensions: "a list",
} as const

export const userFields = {
  "client-certificate": "text",
  "client-certificate-data": "text",
  "client-key": "text",
  "client-key-data": "text",
  token: "text",
  tokenFile: "text",
  username: "text",
  password: "text",
  as: "text",
  "as-uid": "text",
  "as-groups": "a list",
  "as-user-extra": "fields",
  "auth-provider": "fields",
  exec: "fields",
} as const

export const contextFields = { cluster: "text", user: "text", namespace: "text" } as const

/** A password of digits is a number for YAML: Kubernetes refuses it, and so do we, because 0123 and 83 would be the same. */
export function checkFields(
  value: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, string>>,
  place: string,
  path: string,
): void {
  for (const [name, expected] of Object.entries(fields)) {
    const found = value[name]
    if (found === undefined || found === null || valueType(found) === expected) continue
    const hint = expected === "text" ? "put it in quotes" : "mend the file"
    throw new PilothouseError("INVALID", `expected ${expected} in ${place}.${name} in ${path}, found ${valueType(found)}; ${hint}`)
  }
}

/** In words, for messages. */
export function valueType(value: unknown): string {
  if (typeof value === "string") return "text"
  if (typeof value === "boolean") return "true or false"
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "fields" : `a ${typeof value}`
}
