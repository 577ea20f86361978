import { isStrictIp } from "./network.ts"

/** Whether a text is what Go's url.ParseRequestURI takes: an absolute URI, or an absolute path. */
export function isRequestUri(text: string): boolean {
  if (text === "" || [...text].some(isControl)) return false
  if (text === "*") return true
  const scheme = schemeOf(text)
  if (scheme === undefined) return false
  const [rest = ""] = text.slice(scheme === "" ? 0 : scheme.length + 1).split("?", 1)
  // What comes after a scheme without a slash is opaque: "mailto:a@b".
  if (!rest.startsWith("/")) return scheme !== ""
  if (scheme === "" || !rest.startsWith("//")) return isEscaped(rest)
  const end = rest.indexOf("/", 2)
  return isAuthority(scheme.toLowerCase(), rest.slice(2, end === -1 ? undefined : end)) && (end === -1 || isEscaped(rest.slice(end)))
}

function isControl(character: string): boolean {
  return character < " " || character === "\u007f"
}

/** "" for none; undefined where a colon stands first. */
function schemeOf(text: string): string | undefined {
  if (text.startsWith(":")) return undefined
  return /^([A-Za-z][-+.A-Za-z0-9]*):/.exec(text)?.[1] ?? ""
}

/** Whether two hexadecimal digits come after every percent sign. */
function isEscaped(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text)
}

function isAuthority(scheme: string, authority: string): boolean {
  const at = authority.lastIndexOf("@")
  const user = authority.slice(0, Math.max(at, 0))
  return isHost(scheme, authority.slice(at + 1)) && /^[-A-Za-z0-9._:~!$&'()*+,;=%@]*$/.test(user) && isEscaped(user)
}

function isHost(scheme: string, host: string): boolean {
  const bracket = host.lastIndexOf("[")
  if (bracket > 0) return false
  if (bracket === 0) return isBracketed(host)
  // A list of hosts with ports is allowed but for the schemes of the web.
  const colon = scheme === "http" || scheme === "https" ? host.indexOf(":") : host.lastIndexOf(":")
  return (colon === -1 || isPort(host.slice(colon))) && isHostText(host)
}

function isPort(text: string): boolean {
  return text === "" || /^:\d*$/.test(text)
}

/** Only an IPv6 address may stand in brackets, with a zone behind "%25". */
function isBracketed(host: string): boolean {
  const close = host.lastIndexOf("]")
  if (close === -1 || !isPort(host.slice(close + 1))) return false
  const [address = "", ...zones] = host.slice(1, close).split("%25")
  const zone = zones.join("%25")
  return address.includes(":") && isStrictIp(address) && (zones.length === 0 || (zone !== "" && isZone(zone)))
}

/** Of a host only what is not ASCII may be escaped, and a percent sign. */
function isHostText(host: string): boolean {
  return isEscaped(host) && !/%(?!25)[0-7]/.test(host) && hostCharacters.test(host)
}

const hostCharacters = /^[-!"$%&'()*+,.0-9:;<=>A-Z[\]_a-z~\u0080-\uffff]*$/

function isZone(zone: string): boolean {
  if (!isEscaped(zone) || !hostCharacters.test(zone)) return false
  const escapes = zone.match(/%[0-9a-f]{2}/gi) ?? []
  return escapes.every((escape) => escape === "%20" || escape === "%25" || isHostByte(Number.parseInt(escape.slice(1), 16)))
}

/** A byte that may also be written as it is; no part of a longer character may. */
function isHostByte(byte: number): boolean {
  return byte < 0x80 && byte !== 0x25 && hostCharacters.test(String.fromCharCode(byte))
}
