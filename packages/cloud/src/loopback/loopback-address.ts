import type { Service } from "@pilothouse/api/core/v1"
import { isLoopbackIp } from "@pilothouse/api/net"
import { CloudError } from "../cloud-errors.ts"

/** What a system with only one loopback address has. */
export const onlyAddress = "127.0.0.1"

/** The one of IPv6: there are no others. */
export const ipv6Address = "::1"

/** Addresses that several balancers may have at once, on ports of their own. */
export function isShared(address: string): boolean {
  return address === onlyAddress || address === ipv6Address
}

/** The families that a Service asks for, its main one first. */
export function familiesOf({ spec }: Service): readonly string[] {
  return spec?.ipFamilies?.length ? spec.ipFamilies : ["IPv4"]
}

/** An address of this range belongs to a balancer; the rest of 127.0.0.0/8 is for others: pods of processes, say. */
const firstOctet = 128

/** Addresses for a balancer, the likeliest first: always the same for one name, so that a restart finds it again. */
export function* addressesFor(name: string): Generator<string, void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const number = hash(`${name} ${attempt}`)
    // Never .0 or .255, which some systems take for the network itself and for everybody in it.
    yield `127.${firstOctet + ((number >>> 16) % 127)}.${(number >>> 8) % 256}.${1 + (number % 254)}`
  }
}

/** The address that the Service asks for, and the one that it had before. */
export function wishedAddresses({ spec, status }: Service): readonly string[] {
  return [spec?.loadBalancerIP, ...(status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip)].filter(isLoopback)
}

/** The address that the Service asks for, where its balancer is elsewhere. */
export function unmetWish({ spec }: Service, has: readonly (string | undefined)[]): string | undefined {
  const wished = spec?.loadBalancerIP
  return wished === undefined || wished === "" || has.includes(wished) ? undefined : wished
}

/** Whether the Service asks for another address than its balancer has, and can have it. */
export function mustMove(address: string, service: Service, isTaken: (address: string) => boolean): boolean {
  const { spec } = service
  if (familiesOf(service).includes("IPv4") !== (address !== ipv6Address)) return true
  const wished = spec?.loadBalancerIP
  return isLoopback(wished) && wished !== address && address !== onlyAddress && !isTaken(wished)
}

export function noAddress(address: string): CloudError {
  return new CloudError(`expected the system to have the address ${address}, found that it has not`)
}

/** Opens the first address; a system that lacks one of them lacks them all but the only one. */
export async function openSomewhere<T>(addresses: readonly string[], open: (address: string) => Promise<T | undefined>): Promise<T> {
  for (const address of [...addresses.slice(0, 1), onlyAddress]) {
    const opened = await open(address)
    if (opened !== undefined) return opened
  }
  throw noAddress(onlyAddress)
}

function isLoopback(address: string | undefined): address is string {
  return address?.startsWith("127.") === true && isLoopbackIp(address)
}

/** FNV-1a with 32 bits: small, and spreads well enough over eight million addresses. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0
  return value
}
