import { cidrContains, isLoopbackIp, isSameIp, parseCidr, parseIp } from "@pilothouse/api/net"
import { PilothouseError } from "@pilothouse/seams"

type Environment = Readonly<Record<string, string | undefined>>

/** The proxy for an address by the variables that kubectl reads: HTTPS_PROXY, HTTP_PROXY, NO_PROXY, or the same in lower case. */
export function proxyFor(server: string, environment: Environment): string | undefined {
  const url = new URL(server)
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY"
  const proxy = environment[name] || environment[name.toLowerCase()]
  if (!proxy || goesDirectly(url, environment.NO_PROXY || environment.no_proxy || "")) return undefined
  return checkedProxy(proxy.includes("://") ? proxy : `http://${proxy}`, name)
}

/**
 * Returns the address of a proxy, or throws INVALID where its protocol is not supported. The address is not quoted: it may carry a
 * password.
 */
export function checkedProxy(proxy: string, what: string): string {
  const url = URL.parse(proxy)
  if (url !== null && ["http:", "https:", "socks5:"].includes(url.protocol)) return proxy
  throw new PilothouseError(
    "INVALID",
    `expected an address that begins with http://, https:// or socks5:// as ${what}, found another; correct it`,
  )
}

/** Go's rules: this machine is never asked through a proxy, and NO_PROXY has names, addresses and CIDR blocks, each perhaps with a port. */
function goesDirectly({ hostname, port, protocol }: URL, rules: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase()
  if (host === "localhost" || isLoopbackIp(host)) return true
  const asked = port || (protocol === "https:" ? "443" : "80")
  const list = rules.split(",").map((rule) => rule.trim().toLowerCase())
  return list.some((rule) => rule !== "" && matches(host, asked, rule))
}

function matches(host: string, port: string, rule: string): boolean {
  if (rule === "*") return true
  if (rule.includes("/")) return isIn(host, rule)
  const { name, wanted } = splitPort(rule)
  if (wanted !== undefined && wanted !== port) return false
  if (parseIp(name) !== undefined) return isSameIp(host, name)
  // "example.com" means itself and all below it; ".example.com" and "*.example.com" only what is below.
  const suffix = name.replace(/^\*/, "")
  return suffix.startsWith(".") ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`)
}

/** "fd00::1" has colons and no port; "[fd00::1]:443" has one. */
function splitPort(rule: string): { readonly name: string; readonly wanted?: string } {
  const [, name = rule, wanted] = /^(\[.*\]|[^:]*):(\d+)$/.exec(rule) ?? []
  return { name: name.replace(/^\[|\]$/g, ""), wanted }
}

function isIn(host: string, block: string): boolean {
  const parsed = parseCidr(block)
  return parsed !== undefined && cidrContains(parsed, host)
}
