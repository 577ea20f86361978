import type { Service } from "@pilothouse/api/core/v1"
import { parseIp } from "@pilothouse/api/net"
import { CloudError } from "../provider/cloud-errors.ts"

/** What a system with only one loopback address has. */
export const onlyAddress = "127.0.0.1"

/** The one of IPv6: there are no others. */
export const ipv6Address = "::1"

/** Reports whether several balancers may share the address, on ports of their own. */
export function isShared(address: string): boolean {
  return address === onlyAddress || address === ipv6Address
}

/** Returns the IP families of a Service, its primary one first. */
export function serviceFamilies({ spec }: Service): readonly string[] {
  return spec?.ipFamilies?.length ? spec.ipFamilies : ["IPv4"]
}

/** Balancers bind addresses of this range only: the rest of 127.0.0.0/8 belongs to process pods, nodes and other programs of the host (127.0.0.1). */
export const balancerRange = "127.128.0.0/9"
const firstOctet = 128

/** Returns addresses for a balancer, the preferred one first: always the same for one name, so that a restart finds it again. */
export function* addressesFor(name: string): Generator<string, void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const number = hash(`${name} ${attempt}`)
    // Never .0 or .255, which some systems treat as network and broadcast addresses.
    yield `127.${firstOctet + ((number >>> 16) % 127)}.${(number >>> 8) % 256}.${1 + (number % 254)}`
  }
}

/** Returns the address that the Service requests, and the ones that it had before. */
export function requestedAddresses({ spec, status }: Service): readonly string[] {
  return [spec?.loadBalancerIP, ...(status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip)].filter(isBalancerAddress)
}

/** Returns the address that the Service requests, where its balancer has another one. */
export function unmetRequest({ spec }: Service, has: readonly (string | undefined)[]): string | undefined {
  const requested = spec?.loadBalancerIP
  return requested === undefined || requested === "" || has.includes(requested) ? undefined : requested
}

/** Reports whether the Service requests another address than its balancer has, and can have it. */
export function mustMove(address: string, service: Service, isTaken: (address: string) => boolean): boolean {
  const { spec } = service
  if (serviceFamilies(service).includes("IPv4") !== (address !== ipv6Address)) return true
  const requested = spec?.loadBalancerIP
  return isBalancerAddress(requested) && requested !== address && address !== onlyAddress && !isTaken(requested)
}

/** Returns the error for an address that the system lacks. */
export function noAddress(address: string): CloudError {
  return new CloudError(`expected the system to have the address ${address}, found that it has not`)
}

/** Opens the first address, or 127.0.0.1: a system that lacks one of them lacks them all. */
export async function openSomewhere<T>(addresses: readonly string[], open: (address: string) => Promise<T | undefined>): Promise<T> {
  for (const address of [...addresses.slice(0, 1), onlyAddress]) {
    const opened = await open(address)
    if (opened !== undefined) return opened
  }
  throw noAddress(onlyAddress)
}

/**
 * Reports whether a Service may have the address. Network and broadcast addresses are excluded as in addressesFor: a system that cannot bind one of them
 * would be taken for one that has only 127.0.0.1.
 */
function isBalancerAddress(address: string | undefined): address is string {
  if (address === undefined || parseIp(address) === undefined) return false
  const [first, second = 0, , last = 0] = address.split(".").map(Number)
  return first === 127 && second >= firstOctet && second <= 254 && last >= 1 && last <= 254
}

/** FNV-1a with 32 bits: small, and spreads well enough over eight million addresses. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0
  return value
}
