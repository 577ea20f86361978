import { opaqueType } from "../../types/types.ts"
import { MapValue } from "../../values/maps.ts"
import { Opaque } from "../../values/value.ts"

export const urlType = opaqueType("kubernetes.URL")

/** A URL as Go's net/url splits it. */
export class Url extends Opaque {
  readonly type = urlType
  readonly text: string
  readonly scheme: string
  /** With the port, if there is one. */
  readonly host: string
  /** The path as it was written, with what must be escaped in it escaped. */
  readonly path: string
  private readonly queryText: string
  private queryMap: MapValue | undefined

  constructor(text: string, parts: { readonly scheme: string; readonly host: string; readonly path: string; readonly query: string }) {
    super()
    this.text = text
    this.scheme = parts.scheme
    this.host = parts.host
    this.path = parts.path
    this.queryText = parts.query
  }

  equals(other: Opaque): boolean {
    return other instanceof Url && this.text === other.text
  }

  /** The host without port and brackets. */
  get hostname(): string {
    const host = this.port === "" ? this.host.replace(/:$/, "") : this.host.slice(0, -this.port.length - 1)
    return host.replace(/^\[(.*)\]$/, "$1")
  }

  get port(): string {
    return /:([0-9]*)$/.exec(this.host.replace(/^\[.*?\]/, ""))?.[1] ?? ""
  }

  /** The values of each key in their order. Pairs that are not well escaped are left out. */
  query(): MapValue {
    this.queryMap ??= this.readQuery()
    return this.queryMap
  }

  private readQuery(): MapValue {
    const lists = new Map<string, string[]>()
    for (const pair of this.queryText.split("&")) {
      if (pair === "" || pair.includes(";")) continue
      const [key, ...rest] = pair.split("=")
      const [name, value] = [unescape(key as string), unescape(rest.join("="))]
      if (name === undefined || value === undefined) continue
      const known = lists.get(name)
      if (known) known.push(value)
      else lists.set(name, [value])
    }
    const map = new MapValue()
    for (const [name, values] of lists) map.add(name, values)
    return map
  }
}

function unescape(text: string): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined
  const bytes = text.replaceAll("+", " ").replace(/[^%]/gu, (character) => encodeURIComponent(character))
  try {
    return decodeURIComponent(bytes)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/**
 * Parses an absolute URL or an absolute path, as a request line has them (url.ParseRequestURI).
 * Returns upstream's words for a text that is neither.
 */
export function parseRequestUrl(text: string): Url | string {
  const fault = (detail: string): string => `parse ${JSON.stringify(text)}: ${detail}`
  if (/[\x00-\x1f\x7f]/.test(text)) return fault("net/url: invalid control character in URL")
  if (text === "") return fault("empty url")
  const { scheme, rest } = splitScheme(text)
  if (scheme === undefined) return fault("missing protocol scheme")
  const [beforeFragment] = splitOnce(rest, "#")
  const [beforeQuery, query] = splitOnce(beforeFragment, "?")
  if (!beforeQuery.startsWith("/"))
    return scheme === "" ? fault("invalid URI for request") : new Url(text, { scheme, host: "", path: "", query })
  const { host, path } = splitAuthority(beforeQuery, scheme)
  const wrong = faultOfHost(host) ?? faultOfPath(path)
  return wrong === undefined ? new Url(text, { scheme, host, path: escapedPath(path), query }) : fault(wrong)
}

/** Without a scheme, three slashes begin a path; everywhere else two begin a host. */
function splitAuthority(text: string, scheme: string): { readonly host: string; readonly path: string } {
  const authority = scheme === "" && text.startsWith("///") ? undefined : /^\/\/([^/]*)/.exec(text)?.[1]
  if (authority === undefined) return { host: "", path: text }
  return { host: authority.slice(authority.lastIndexOf("@") + 1), path: text.slice(2 + authority.length) }
}

function faultOfPath(path: string): string | undefined {
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path)
  return escape ? `invalid URL escape ${JSON.stringify(escape[0])}` : undefined
}

function splitScheme(text: string): { readonly scheme: string | undefined; readonly rest: string } {
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)
  if (match) return { scheme: (match[1] as string).toLowerCase(), rest: text.slice(match[0].length) }
  return { scheme: text.startsWith(":") ? undefined : "", rest: text }
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}

function faultOfHost(host: string): string | undefined {
  if (host.startsWith("[")) {
    const close = host.lastIndexOf("]")
    if (close < 0) return "missing ']' in host"
    return faultOfPort(host.slice(close + 1))
  }
  const colon = host.lastIndexOf(":")
  const character = /[ "<>\\^`{|}]/.exec(host)
  return (
    (colon >= 0 ? faultOfPort(host.slice(colon)) : undefined) ??
    (character ? `invalid character ${JSON.stringify(character[0])} in host name` : undefined)
  )
}

function faultOfPort(text: string): string | undefined {
  return text === "" || /^:[0-9]*$/.test(text) ? undefined : `invalid port ${JSON.stringify(text)} after host`
}

/** Characters that a path cannot hold are escaped; escapes that are there stay. */
function escapedPath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-_.~!$&'()*+,;=:@/%[\]]/gu, (character) => encodeURIComponent(character))
}
