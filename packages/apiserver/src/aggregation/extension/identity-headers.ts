import type { HeaderMap } from "@pilothouse/seams"
import type { Identity } from "../../authentication/identity.ts"

const extraPrefix = "x-remote-extra-"
const identityNames: ReadonlySet<string> = new Set(["x-remote-user", "x-remote-uid", "x-remote-group"])

/** Returns how a user is named to extension servers. */
export function identityHeaders({ name, uid = "", groups, extra = {} }: Identity): HeaderMap {
  const keys = Object.entries(extra).filter(([, values]) => values.length > 0)
  return {
    "x-remote-user": wireText(name),
    ...(uid !== "" && { "x-remote-uid": wireText(uid) }),
    ...(groups.length > 0 && { "x-remote-group": lines(groups) }),
    ...Object.fromEntries(keys.map(([key, values]) => [`${extraPrefix}${escapedKey(key)}`, lines(values)])),
  }
}

/** Reports whether a header names a user: those of clients are dropped. */
export function isIdentityHeader(name: string): boolean {
  return identityNames.has(name) || name.startsWith(extraPrefix)
}

function lines(values: readonly string[]): string {
  return values.map(wireText).join("\n")
}

/** UTF-8 goes out as its bytes. What would end a header is a space: a name of a user may come from anywhere. */
function wireText(value: string): string {
  return Buffer.from(value.replaceAll(/\p{Cc}/gu, " "), "utf8").toString("latin1")
}

/** Bytes that a name of a header may not have, and "%", are percent-encoded, as client-go does. */
function escapedKey(key: string): string {
  return Array.from(Buffer.from(key, "utf8"), (byte) => {
    const character = String.fromCharCode(byte)
    return /[!#$&'*+\-.0-9A-Z^_`a-z|~]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  }).join("")
}
