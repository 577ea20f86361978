import { parseAddrFault } from "./parse-addr.ts"

/** The parts of a URL. */
export interface UrlParts {
  /** In lower case. */
  readonly scheme: string
  /** Without escapes, and with the port. */
  readonly host: string
  /** With escapes. */
  readonly path: string
  readonly query: string
  /** Returns the whole in the one form that equal URLs share. */
  readonly write: () => string
}

/** Why a text is no URL, in upstream's words. */
class UrlFault {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** Returns what is wrong with a text that a request line cannot have as its URL, in upstream's words; undefined for one that it can. */
export function requestUrlFault(text: string): string | undefined {
  const parts = attempt(text, () => split(text, true))
  return typeof parts === "string" ? parts : undefined
}

/** Splits an absolute URL or an absolute path as Go's net/url does, and with it the fragment, which no request has. */
export function splitUrl(text: string): UrlParts | string {
  const asRequest = attempt(text, () => split(text, true))
  const hash = text.indexOf("#")
  if (typeof asRequest === "string" || (hash < 0 && !text.startsWith("//"))) return asRequest
  const before = hash < 0 ? text : text.slice(0, hash)
  const parts = attempt(before, () => split(before, false))
  const fragment = hash < 0 ? "" : text.slice(hash + 1)
  if (typeof parts === "string" || fragment === "") return parts
  return attempt(text, () => {
    const end = `#${normalized(checkEscapes(fragment), inFragment)}`
    return { ...parts, write: () => `${parts.write()}${end}` }
  })
}

function attempt(text: string, run: () => UrlParts): UrlParts | string {
  try {
    return run()
  } catch (thrown) {
    if (thrown instanceof UrlFault) return `parse ${JSON.stringify(text)}: ${thrown.message}`
    throw thrown
  }
}

function split(text: string, viaRequest: boolean): UrlParts {
  if (/[\x00-\x1f\x7f]/.test(text)) throw new UrlFault("net/url: invalid control character in URL")
  if (text === "" && viaRequest) throw new UrlFault("empty url")
  if (text === "*") return { scheme: "", host: "", path: "*", query: "", write: () => "*" }
  const { scheme, rest } = splitScheme(text)
  const at = rest.indexOf("?")
  const [beforeQuery, query] = at < 0 ? [rest, ""] : [rest.slice(0, at), rest.slice(at + 1)]
  const start = scheme === "" ? "" : `${scheme}:`
  const tail = at < 0 ? "" : `?${query}`
  if (!beforeQuery.startsWith("/")) {
    if (scheme !== "") return { scheme, host: "", path: "", query, write: () => `${start}${beforeQuery}${tail}` }
    if (viaRequest) throw new UrlFault("invalid URI for request")
  }
  const { authority, path } = splitAuthority(beforeQuery, scheme !== "" || !(viaRequest || beforeQuery.startsWith("///")))
  const { host, user } = authority === undefined ? { host: "", user: undefined } : readAuthority(authority, scheme)
  const escapedPath = normalized(checkEscapes(path), inPath)
  const write = (): string => {
    const shownHost = `${user === undefined ? "" : `${user}@`}${escaped(host, inHost)}`
    const slashes = authority !== undefined && (shownHost !== "" || path !== "") ? "//" : ""
    return `${start}${slashes}${shownHost}${escapedPath}${tail}`
  }
  return { scheme, host, path: escapedPath, query, write }
}

function splitScheme(text: string): { readonly scheme: string; readonly rest: string } {
  if (text.startsWith(":")) throw new UrlFault("missing protocol scheme")
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)
  return match ? { scheme: (match[1] as string).toLowerCase(), rest: text.slice(match[0].length) } : { scheme: "", rest: text }
}

/** Two slashes begin a host; in a request line they do so only behind a scheme, and without one three begin a path. */
function splitAuthority(text: string, mayHaveHost: boolean): { readonly authority: string | undefined; readonly path: string } {
  const authority = mayHaveHost ? /^\/\/([^/]*)/.exec(text)?.[1] : undefined
  return { authority, path: authority === undefined ? text : text.slice(2 + authority.length) }
}

/** Returns the host without escapes, and the user as the URL shows it. */
function readAuthority(authority: string, scheme: string): { readonly host: string; readonly user: string | undefined } {
  const at = authority.lastIndexOf("@")
  const host = readHost(authority.slice(at + 1), scheme)
  if (at < 0) return { host, user: undefined }
  const user = authority.slice(0, at)
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlFault("net/url: invalid userinfo")
  const colon = user.indexOf(":")
  const shown = (part: string): string => reescaped(checkEscapes(part), inUser)
  return { host, user: colon < 0 ? shown(user) : `${shown(user.slice(0, colon))}:${shown(user.slice(colon + 1))}` }
}

function readHost(host: string, scheme: string): string {
  const open = host.lastIndexOf("[")
  if (open > 0) throw new UrlFault("invalid IP-literal")
  if (open === 0) return readIpLiteral(host)
  // Colons in hosts are tolerated where lists of hosts are known: not in those two schemes.
  const colon = scheme === "http" || scheme === "https" ? host.indexOf(":") : host.lastIndexOf(":")
  if (colon >= 0) checkPort(host.slice(colon))
  return unescapedHost(host)
}

function readIpLiteral(host: string): string {
  const close = host.lastIndexOf("]")
  if (close < 0) throw new UrlFault("missing ']' in host")
  checkPort(host.slice(close + 1))
  const literal = host.slice(1, close)
  const zone = literal.indexOf("%25")
  const address = zone < 0 ? unescapedHost(literal) : unescapedHost(literal.slice(0, zone)) + unescapedZone(literal.slice(zone))
  const fault = parseAddrFault(address)
  if (fault !== undefined) throw new UrlFault(`invalid host: ${fault}`)
  if (!address.includes(":")) throw new UrlFault("invalid IP-literal")
  return `[${address}]${host.slice(close + 1)}`
}

function checkPort(text: string): void {
  if (text !== "" && !/^:[0-9]*$/.test(text)) throw new UrlFault(`invalid port ${JSON.stringify(text)} after host`)
}

/** In a host only bytes of other letters can be escaped, and the percent sign. */
function unescapedHost(host: string): string {
  return unescaped(host, (byte) => byte >= 0x80 || byte === percent)
}

/** In a zone, what a host can have without escapes, a space and the percent sign can be escaped. */
function unescapedZone(zone: string): string {
  return unescaped(zone, (byte) => byte === percent || byte === space || inHost.plain.test(String.fromCharCode(byte)))
}

const [percent, space] = [0x25, 0x20]

function unescaped(text: string, mayBeEscaped: (byte: number) => boolean): string {
  if (!/[% #/?@\\^`{|}]/.test(text)) return text
  for (const [part] of text.matchAll(/%[0-9a-fA-F]{2}|%.{0,2}|[ #/?@\\^`{|}]/gs)) {
    if (!part.startsWith("%")) throw new UrlFault(`invalid character ${JSON.stringify(part)} in host name`)
    if (!/^%[0-9a-fA-F]{2}$/.test(part) || !mayBeEscaped(byteOf(part))) throw new UrlFault(`invalid URL escape ${JSON.stringify(part)}`)
  }
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (escapes) => new TextDecoder().decode(Uint8Array.from(escapes.match(/%../g) ?? [], byteOf)))
}

function byteOf(escape: string): number {
  return Number.parseInt(escape.slice(1), 16)
}

function checkEscapes(text: string): string {
  if (!text.includes("%")) return text
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text)?.[0]
  if (wrong !== undefined) throw new UrlFault(`invalid URL escape ${JSON.stringify(wrong)}`)
  return text
}

/** Which characters of a part stand for themselves when Go writes it, and runs of others. */
interface Writing {
  readonly plain: RegExp
  readonly others: RegExp
}

const inPath: Writing = { plain: /^[A-Za-z0-9\-_.~$&+,/:;=@]*$/, others: /[^A-Za-z0-9\-_.~$&+,/:;=@]+/g }
const inFragment: Writing = { plain: /^[A-Za-z0-9\-_.~$&+,/:;=?@!()*]*$/, others: /[^A-Za-z0-9\-_.~$&+,/:;=?@!()*]+/g }
const inUser: Writing = { plain: /^[A-Za-z0-9\-_.~$&+,;=]*$/, others: /[^A-Za-z0-9\-_.~$&+,;=]+/g }
const inHost: Writing = { plain: /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]*$/, others: /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]+/g }

/** A part stays as it was written if that is a valid way to write it; else Go writes all of it in its own way. */
function normalized(text: string, writing: Writing): string {
  const { plain } = writing
  return plain.test(text) || plain.test(text.replace(/[!'()*[\]%]/g, "")) ? text : reescaped(text, writing)
}

/** Removes the escapes and writes those that Go does. */
function reescaped(text: string, writing: Writing): string {
  return text.replace(/%([0-9a-fA-F]{2})|[^%]+/gs, (part, hex: string | undefined) => {
    if (hex === undefined) return escaped(part, writing)
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return character < "\x80" && writing.plain.test(character) ? character : part.toUpperCase()
  })
}

function escaped(text: string, { others }: Writing): string {
  return text.replace(others, percentEncoded)
}

/** Every byte, also those of characters that encodeURIComponent leaves as they are. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}
