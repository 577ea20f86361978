import { badRequest } from "@pilothouse/api"
import type { HeaderMap } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"

const prefix = "impersonate-"
const [userHeader, uidHeader, groupHeader, extraPrefix] = ["impersonate-user", "impersonate-uid", "impersonate-group", "impersonate-extra-"]

/**
 * Whether a header is for this folder only. Where such a header is said several times, its values stand on lines of their own: they may have
 * commas.
 */
export function isImpersonationHeader(name: string): boolean {
  return name.startsWith(prefix)
}

/** The headers without those of impersonation: later filters and handlers see the impersonated user only. */
export function withoutImpersonation(headers: HeaderMap): HeaderMap {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isImpersonationHeader(name)))
}

/** The user that a request impersonates; undefined for none. Throws where everything but a name is given. */
export function requestedUser(headers: HeaderMap): Identity | undefined {
  if (!Object.keys(headers).some(isImpersonationHeader)) return undefined
  const name = valuesOf(headers[userHeader])[0] ?? ""
  const uid = valuesOf(headers[uidHeader])[0] ?? ""
  const groups = valuesOf(headers[groupHeader])
  const extra = extraOf(headers)
  if (name === "") {
    if (uid === "" && groups.length === 0 && extra === undefined) return undefined
    throw badRequest(`requested ${inGo({ name, uid, groups, extra })} without impersonating a user name`)
  }
  return { name, groups, ...(uid !== "" && { uid }), ...(extra !== undefined && { extra }) }
}

function valuesOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split("\n")
}

function extraOf(headers: HeaderMap): Readonly<Record<string, readonly string[]>> | undefined {
  const found = Object.entries(headers).filter(([name]) => name.startsWith(extraPrefix))
  if (found.length === 0) return undefined
  const extra = new Map<string, string[]>()
  for (const [name, value] of found) {
    const key = decoded(name.slice(extraPrefix.length).toLowerCase())
    const values = extra.get(key) ?? []
    for (const one of valuesOf(value)) values.push(one)
    extra.set(key, values)
  }
  return Object.fromEntries(extra)
}

/** A key that cannot be decoded is taken as it is, as upstream. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** As Go prints it: the message quotes the whole of what was asked for. */
function inGo({ name, uid = "", groups, extra }: Identity): string {
  const list = (texts: readonly string[]) => (texts.length === 0 ? "[]string(nil)" : `[]string{${texts.map(quoted).join(", ")}}`)
  const keys = Object.keys(extra ?? {}).sort()
  const map =
    extra === undefined
      ? "map[string][]string(nil)"
      : `map[string][]string{${keys.map((key) => `${quoted(key)}:${list(extra[key] ?? [])}`).join(", ")}}`
  return `&user.DefaultInfo{Name:${quoted(name)}, UID:${quoted(uid)}, Groups:${list(groups)}, Extra:${map}}`
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
