import { formatIp, parseIp } from "../net/ip-address.ts"
import { DerFault, type DerValue, derInside, derText } from "./der.ts"
import { derSequence, derValue } from "./der-writer.ts"

/** The names beside the subject that a certificate is for. */
export interface AlternativeNames {
  readonly dns: readonly string[]
  readonly email: readonly string[]
  readonly ip: readonly string[]
  readonly uri: readonly string[]
}

/** A certificate without alternative names. */
export const noNames: AlternativeNames = { dns: [], email: [], ip: [], uri: [] }

/** The tags of the kinds of names that Go reads and writes. */
const tags = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const

export function parseAlternativeNames(value: DerValue | undefined): AlternativeNames {
  const names = derInside(value)
  const texts = (tag: number) => names.filter((name) => name.tag === tag).map(derText)
  const ip = names.filter((name) => name.tag === tags.ip).map(({ content }) => addressOf(content))
  return { dns: texts(tags.dns), email: texts(tags.email), uri: texts(tags.uri), ip }
}

/** Writes the names in Go's order: DNS, email, IP, URI. */
export function derAlternativeNames({ dns, email, ip, uri }: AlternativeNames): Uint8Array {
  const texts = (tag: number, values: readonly string[]) => values.map((value) => derValue(tag, new TextEncoder().encode(value)))
  const addresses = ip.map((address) => derValue(tags.ip, addressBytes(address)))
  return derSequence(...texts(tags.dns, dns), ...texts(tags.email, email), ...addresses, ...texts(tags.uri, uri))
}

export function hasNames({ dns, email, ip, uri }: AlternativeNames): boolean {
  return dns.length + email.length + ip.length + uri.length > 0
}

function addressOf(bytes: Uint8Array): string {
  if (bytes.length !== 4 && bytes.length !== 16) throw new DerFault(`x509: cannot parse IP address of length ${bytes.length}`)
  const value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  return formatIp(bytes.length === 4 ? { family: 4, value } : { family: 6, value })
}

function addressBytes(text: string): Uint8Array {
  const parsed = parseIp(text)
  if (parsed === undefined) throw new DerFault(`x509: expected an IP address, found ${JSON.stringify(text)}`)
  const { family, value } = parsed
  const length = family === 4 ? 4 : 16
  return Uint8Array.from({ length }, (_, index) => Number((value >> BigInt(8 * (length - 1 - index))) & 0xffn))
}
