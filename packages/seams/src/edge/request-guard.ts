import type { HeaderMap } from "../transport/transport.ts"

/**
 * Must be 1 in every request that changes something on a debug port. A web page cannot set it for another site without the browser asking that site
 * first, which is refused.
 */
export const ownRequestHeader = "x-pilothouse-request"

/**
 * Returns why a request to a plain HTTP port is refused; undefined when it is not.
 *
 * A name that a foreign DNS server resolves to this machine (DNS rebinding) would let any web page read such a port: Host must be an IP literal,
 * localhost, or one of `names`. A page of another site that sends requests without reading the answers is recognized by its Origin.
 */
export function foreignRequest(headers: HeaderMap, names: readonly string[] = []): string | undefined {
  const { host = "", origin } = headers
  const name = hostName(host)
  if (name === undefined || !(isIpLiteral(name) || name === "localhost" || names.some((one) => one.toLowerCase() === name)))
    return `expected an IP address or localhost as Host, found ${JSON.stringify(host)}; use the address of this port`
  if (origin === undefined || origin === `http://${host}`) return undefined
  return `expected a request without Origin or from http://${host}, found one from ${JSON.stringify(origin)}; web pages of others have no access`
}

/** In lower case and without the port; undefined where it is not a host and a port. */
function hostName(host: string): string | undefined {
  const bracket = host.startsWith("[") ? host.indexOf("]") : -1
  const end = bracket > 0 ? bracket + 1 : host.indexOf(":")
  const [name, rest] = end < 0 ? [host, ""] : [host.slice(0, end), host.slice(end)]
  if (name === "" || (rest !== "" && !/^:\d{1,5}$/.test(rest))) return undefined
  return name.toLowerCase()
}

/** Four numbers of up to 255, or hexadecimal digits and colons in brackets. */
function isIpLiteral(name: string): boolean {
  if (name.startsWith("[")) return name.length <= 64 && /^\[[0-9a-f:.]+(%[0-9a-z]+)?\]$/.test(name) && name.includes(":")
  const parts = name.split(".")
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)
}
