import { quoted } from "@pilothouse/api"

/** The parts of a URL that rules ask for. */
export interface GoUrl {
  readonly scheme: string
  /** With its port. */
  readonly host: string
  /** "user:password" as it was written; undefined where there is no "@". */
  readonly user: string | undefined
  readonly query: string
  readonly fragment: string
}

/** Reads a URL as Go's url.Parse does, which accepts more than browsers do. Returns Go's error as a text where it is none. */
export function parseGoUrl(text: string): GoUrl | string {
  const [whole, fragment] = cut(text, "#")
  const url = partsOf(whole, fragment)
  return typeof url === "string" ? `parse ${quoted(whole)}: ${url}` : url
}

function partsOf(text: string, fragment: string): GoUrl | string {
  if (/[\0-\u001F\u007F]/.test(text)) return "net/url: invalid control character in URL"
  if (text.startsWith(":")) return "missing protocol scheme"
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1] ?? ""
  const [rest, query] = cut(scheme === "" ? text : text.slice(scheme.length + 1), "?")
  const url: GoUrl = { scheme: scheme.toLowerCase(), host: "", user: undefined, query, fragment }
  if (!rest.startsWith("/") && scheme !== "") return url
  if (!rest.startsWith("/") && rest.split("/", 1)[0]!.includes(":")) return "first path segment in URL cannot contain colon"
  const hasHost = rest.startsWith("//") && (scheme !== "" || !rest.startsWith("///"))
  return hasHost ? withAuthority(url, rest.slice(2)) : (escapeFault(rest) ?? url)
}

function withAuthority(url: GoUrl, rest: string): GoUrl | string {
  const [authority, path] = cut(rest, "/")
  const at = authority.lastIndexOf("@")
  const host = authority.slice(at + 1)
  const user = at < 0 ? undefined : authority.slice(0, at)
  return hostFault(host) ?? (user === undefined ? undefined : userFault(user)) ?? escapeFault(path) ?? { ...url, host, user }
}

function cut(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}

function hostFault(host: string): string | undefined {
  const bracket = host.lastIndexOf("[")
  if (bracket > 0) return "invalid IP-literal"
  const end = host.lastIndexOf("]")
  if (bracket === 0 && end < 0) return "missing ']' in host"
  const port = bracket === 0 ? host.slice(end + 1) : (/:[^:]*$/.exec(host)?.[0] ?? "")
  if (port !== "" && !/^:\d*$/.test(port)) return `invalid port ${quoted(port)} after host`
  const escape = /%(?![0-9a-f]{2}).{0,2}|%(?!25)[0-7][0-9a-f]/i.exec(host)?.[0]
  if (escape !== undefined) return `invalid URL escape ${quoted(escape)}`
  const character = /[^\w.~!$&'()*+,;=:[\]<>"%\u0080-\uffff-]/.exec(host)?.[0]
  return character === undefined ? undefined : `invalid character ${quoted(character)} in host name`
}

function userFault(user: string): string | undefined {
  return /^[\w.~!$&'()*+,;=:%@-]*$/.test(user) ? escapeFault(user) : "net/url: invalid userinfo"
}

function escapeFault(text: string): string | undefined {
  const found = /%(?![0-9a-f]{2}).{0,2}/i.exec(text)?.[0]
  return found === undefined ? undefined : `invalid URL escape ${quoted(found)}`
}
