/** One value of DER, the encoding of certificates, and where it stands. */
export interface DerValue {
  readonly tag: number
  readonly content: Uint8Array
  /** With its tag and length: what a signature is over. */
  readonly whole: Uint8Array
}

/** Bytes that are not what they should be, in Go's words. */
export class DerFault extends Error {
  override readonly name = "DerFault"
}

/** The tags of DER that certificates use. */
export const derTags = {
  boolean: 1,
  integer: 2,
  bits: 3,
  bytes: 4,
  name: 6,
  utf8: 0x0c,
  printable: 0x13,
  ia5: 0x16,
  utcTime: 0x17,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** What Go answers where another value was expected. */
export const malformed = "asn1: structure error: tags don't match"

/** Returns the values that stand in these bytes one after the other. Throws a DerFault, with Go's words. */
export function derValues(bytes: Uint8Array): readonly DerValue[] {
  const values: DerValue[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const value = firstOf(rest)
    values.push(value)
    rest = rest.subarray(value.whole.length)
  }
  return values
}

/** Returns the values inside of a value of the expected tag, a sequence by default. */
export function derInside(value: DerValue | undefined, tag: number = derTags.sequence): readonly DerValue[] {
  if (value?.tag !== tag) throw new DerFault(malformed)
  return derValues(value.content)
}

function firstOf(bytes: Uint8Array): DerValue {
  const tag = bytes[0]!
  const first = bytes[1]
  if (first === undefined) throw new DerFault("asn1: syntax error: truncated tag or length")
  // From 128 on the byte says how many bytes the length has.
  const more = first < 0x80 ? 0 : first - 0x80
  if (more > 4 || bytes.length < 2 + more) throw new DerFault("asn1: syntax error: truncated tag or length")
  const length = more === 0 ? first & 0x7f : bytes.subarray(2, 2 + more).reduce((sum, byte) => sum * 256 + byte, 0)
  const end = 2 + more + length
  if (bytes.length < end) throw new DerFault("asn1: syntax error: data truncated")
  return { tag, content: bytes.subarray(2 + more, end), whole: bytes.subarray(0, end) }
}

/** Returns an object identifier as "1.2.840.10045.4.3.2". */
export function derName(content: Uint8Array): string {
  const numbers: number[] = []
  let number = 0
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f)
    if (byte < 0x80) {
      numbers.push(number)
      number = 0
    }
  }
  const [first = 0, ...others] = numbers
  const root = Math.min(2, Math.floor(first / 40))
  return [root, first - root * 40, ...others].join(".")
}

/** Returns the text of a string of any kind that certificates have; BMPString and T61String are read as Latin-1. */
export function derText({ tag, content }: DerValue): string {
  return tag === derTags.utf8 ? new TextDecoder().decode(content) : latin1(content)
}

function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
}

/** Returns the milliseconds of a UTCTime ("260102030405Z") or GeneralizedTime ("20260102030405Z"). */
export function derTime({ tag, content }: DerValue): number {
  const text = latin1(content.subarray(0, 20))
  const short = tag === derTags.utcTime
  const [, year = "", ...parts] =
    (short ? /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/ : /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/).exec(text) ?? []
  if (year === "") throw new DerFault("x509: unsupported time format")
  const century = Number(year) >= 50 ? 1900 : 2000
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number)
  return Date.UTC(short ? century + Number(year) : Number(year), month - 1, day, hour, minute, second)
}
