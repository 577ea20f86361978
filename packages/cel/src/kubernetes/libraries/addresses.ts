import { unitCost } from "../../cost/cost-rule.ts"
import type { Library } from "../../environment/environment.ts"
import { defineOverloads } from "../../environment/overload.ts"
import { fail } from "../../values/value.ts"
import { canonicalCost, containmentCost, parseCost } from "./costs.ts"
import { type Cidr, cidrFrom, cidrType, type Ip, ipFrom, ipType, parseStrictCidr, parseStrictIp } from "./ip-address.ts"

/** A test for the leading bits of an address: those of IPv4, and those of IPv6. */
function hasPrefix(
  { family, value }: Ip,
  ofIpv4: readonly [bits: number, prefix: bigint],
  ofIpv6: readonly [bits: number, prefix: bigint],
): boolean {
  const [bits, prefix] = family === 4 ? ofIpv4 : ofIpv6
  return value >> BigInt((family === 4 ? 32 : 128) - bits) === prefix
}

const isUnspecified = ({ value }: Ip): boolean => value === 0n
const isLoopback = (ip: Ip): boolean => hasPrefix(ip, [8, 127n], [128, 1n])
const isMulticast = (ip: Ip): boolean => hasPrefix(ip, [4, 0xen], [8, 0xffn])
const isLinkLocalUnicast = (ip: Ip): boolean => hasPrefix(ip, [16, 0xa9fen], [10, 0x3fan])

/** In IPv6, the four bits before the scope are flags. */
function isLinkLocalMulticast(ip: Ip): boolean {
  return ip.family === 4 ? ip.value >> 8n === 0xe00000n : ((ip.value >> 112n) & 0xff0fn) === 0xff02n
}

const broadcast = 0xffffffffn

function isGlobalUnicast(ip: Ip): boolean {
  if (isUnspecified(ip) || (ip.family === 4 && ip.value === broadcast)) return false
  return !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip)
}

/** Kubernetes' IP addresses: `ip('10.0.0.1')`. */
export const ipLibrary: Library = {
  name: "kubernetes.net.ip",
  types: [ipType],
  overloads: defineOverloads([
    {
      id: "string_to_ip",
      name: "ip",
      function: "(string) -> net.IP",
      evaluate: ipFrom,
      cost: parseCost,
      example: "ip('::1') == ip('0:0::1')",
      failure: ["ip('::ffff:10.0.0.1')", 'IPv4-mapped IPv6 address "::ffff:10.0.0.1" is not allowed'],
    },
    {
      id: "ip_family",
      name: "family",
      method: "(net.IP) -> int",
      evaluate: ({ family }: Ip) => family,
      cost: unitCost,
      example: "ip('10.0.0.1').family() == 4",
    },
    {
      id: "ip_is_canonical",
      name: "ip.isCanonical",
      function: "(string) -> bool",
      evaluate: (text: string) => ipFrom(text).toString() === text,
      cost: canonicalCost,
      example: "ip.isCanonical('::1') && !ip.isCanonical('0::1')",
    },
    {
      id: "ip_is_unspecified",
      name: "isUnspecified",
      method: "(net.IP) -> bool",
      evaluate: isUnspecified,
      cost: unitCost,
      example: "ip('0.0.0.0').isUnspecified()",
    },
    {
      id: "ip_is_loopback",
      name: "isLoopback",
      method: "(net.IP) -> bool",
      evaluate: isLoopback,
      cost: unitCost,
      example: "ip('127.0.0.1').isLoopback() && ip('::1').isLoopback()",
    },
    {
      id: "ip_is_link_local_multicast",
      name: "isLinkLocalMulticast",
      method: "(net.IP) -> bool",
      evaluate: isLinkLocalMulticast,
      cost: unitCost,
      example: "ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast()",
    },
    {
      id: "ip_is_link_local_unicast",
      name: "isLinkLocalUnicast",
      method: "(net.IP) -> bool",
      evaluate: isLinkLocalUnicast,
      cost: unitCost,
      example: "ip('169.254.1.1').isLinkLocalUnicast() && ip('fe80::1').isLinkLocalUnicast()",
    },
    {
      id: "ip_is_global_unicast",
      name: "isGlobalUnicast",
      method: "(net.IP) -> bool",
      evaluate: isGlobalUnicast,
      cost: unitCost,
      example: "ip('10.0.0.1').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast()",
    },
    {
      id: "is_ip",
      name: "isIP",
      function: "(string) -> bool",
      evaluate: (text: string) => typeof parseStrictIp(text) !== "string",
      cost: parseCost,
      example: "isIP('10.0.0.1') && !isIP('010.0.0.1')",
    },
    {
      id: "ip_to_string",
      name: "string",
      function: "(net.IP) -> string",
      evaluate: String,
      cost: unitCost,
      example: "string(ip('0::1')) == '::1'",
    },
  ]),
}

/** Upstream does not say what is wrong with the text. */
function containsText(block: Cidr, text: string): boolean {
  const address = parseStrictIp(text)
  return typeof address === "string" ? fail("no such overload") : block.contains(address)
}

/** Kubernetes' blocks of addresses: `cidr('10.0.0.0/8')`. */
export const cidrLibrary: Library = {
  name: "kubernetes.net.cidr",
  types: [cidrType],
  overloads: defineOverloads([
    {
      id: "string_to_cidr",
      name: "cidr",
      function: "(string) -> net.CIDR",
      evaluate: cidrFrom,
      cost: parseCost,
      example: "cidr('10.0.0.0/8') == cidr('10.0.0.0/8')",
    },
    {
      id: "cidr_contains_ip_string",
      name: "containsIP",
      method: "(net.CIDR, string) -> bool",
      evaluate: containsText,
      cost: containmentCost(0, 2, true),
      example: "cidr('10.0.0.0/8').containsIP('10.1.2.3')",
      failure: ["cidr('10.0.0.0/8').containsIP('a')", "no such overload"],
    },
    {
      id: "cidr_contains_ip_ip",
      name: "containsIP",
      method: "(net.CIDR, net.IP) -> bool",
      evaluate: (block: Cidr, address: Ip) => block.contains(address),
      cost: containmentCost(0, 2, false),
      example: "!cidr('10.0.0.0/8').containsIP(ip('::1'))",
    },
    {
      id: "cidr_contains_cidr_string",
      name: "containsCIDR",
      method: "(net.CIDR, string) -> bool",
      evaluate: (block: Cidr, text: string) => block.containsBlock(cidrFrom(text)),
      cost: containmentCost(1, 3, true),
      example: "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
    },
    {
      id: "cidr_contains_cidr",
      name: "containsCIDR",
      method: "(net.CIDR, net.CIDR) -> bool",
      evaluate: (block: Cidr, other: Cidr) => block.containsBlock(other),
      cost: containmentCost(1, 3, false),
      example: "!cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
    },
    {
      id: "cidr_ip",
      name: "ip",
      method: "(net.CIDR) -> net.IP",
      evaluate: ({ address }: Cidr) => address,
      cost: unitCost,
      example: "cidr('10.0.0.1/8').ip() == ip('10.0.0.1')",
    },
    {
      id: "cidr_prefix_length",
      name: "prefixLength",
      method: "(net.CIDR) -> int",
      evaluate: ({ prefixLength }: Cidr) => prefixLength,
      cost: unitCost,
      example: "cidr('10.0.0.0/8').prefixLength() == 8",
    },
    {
      id: "cidr_masked",
      name: "masked",
      method: "(net.CIDR) -> net.CIDR",
      evaluate: (block: Cidr) => block.masked(),
      cost: unitCost,
      example: "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
    },
    {
      id: "is_cidr",
      name: "isCIDR",
      function: "(string) -> bool",
      evaluate: (text: string) => typeof parseStrictCidr(text) !== "string",
      cost: parseCost,
      example: "isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0/33')",
    },
    {
      id: "cidr_to_string",
      name: "string",
      function: "(net.CIDR) -> string",
      evaluate: String,
      cost: unitCost,
      example: "string(cidr('10.0.0.1/8')) == '10.0.0.1/8'",
    },
  ]),
}
