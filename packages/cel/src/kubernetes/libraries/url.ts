import { opaqueType } from "../../types/types.ts"
import { MapValue } from "../../values/maps.ts"
import { Opaque } from "../../values/value.ts"
import { countParsing } from "../../values/work.ts"
import { splitUrl, type UrlParts } from "./url-parts.ts"

export const urlType = opaqueType("kubernetes.URL")

/** A URL as Go's net/url splits it. */
export class Url extends Opaque {
  readonly type = urlType
  private readonly parts: UrlParts
  private queryMap: MapValue | undefined

  constructor(parts: UrlParts) {
    super()
    this.parts = parts
  }

  /** URLs are equal that are written in the same way once scheme, user and path are: `HTTP://a/ b` and `http://a/%20b`. */
  equals(other: Opaque): boolean {
    return other instanceof Url && this.parts.write() === other.parts.write()
  }

  get scheme(): string {
    return this.parts.scheme
  }

  /** With the port, if there is one. */
  get host(): string {
    return this.parts.host
  }

  /** The host without port and brackets. */
  get hostname(): string {
    return this.host.slice(0, this.portAt).replace(/^\[(.*)\]$/s, "$1")
  }

  get port(): string {
    return this.host.slice(this.portAt + 1)
  }

  /** Where the colon of the port is, or the end. */
  private get portAt(): number {
    const colon = this.host.lastIndexOf(":")
    return colon >= 0 && /^[0-9]*$/.test(this.host.slice(colon + 1)) ? colon : this.host.length
  }

  /** The path as it was written, with what must be escaped in it escaped. */
  get path(): string {
    return this.parts.path
  }

  /** The values of each key in their order. */
  query(): MapValue {
    this.queryMap ??= parseQuery(this.parts.query)
    return this.queryMap
  }
}

/** Parses an absolute URL or an absolute path; returns upstream's words for a text that is neither. */
export function parseUrl(text: string): Url | string {
  const parts = splitUrl(text)
  return typeof parts === "string" ? parts : new Url(parts)
}

/** Go reads no query with more parts. */
const maxParts = 10_000

/** Returns the values of each key in their order. Pairs that are not well escaped, or have a semicolon, are left out. */
function parseQuery(query: string): MapValue {
  countParsing(query.length)
  const lists = new Map<string, string[]>()
  const pairs = query.split("&")
  for (const pair of pairs.length > maxParts ? [] : pairs) {
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

function unescape(text: string): string | undefined {
  const spaced = text.replaceAll("+", " ")
  if (!spaced.includes("%")) return spaced
  if (/%(?![0-9a-fA-F]{2})/.test(spaced)) return undefined
  try {
    return decodeURIComponent(spaced.replace(/[^%]+/g, (part) => encodeURIComponent(part)))
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
