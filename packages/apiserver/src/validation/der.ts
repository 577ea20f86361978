/** One value of DER, the encoding of certificates, and where it stands. */
export interface DerValue {
  readonly tag: number
  readonly content: Buffer
  /** With its tag and length: what a signature is over. */
  readonly whole: Buffer
}

export class DerFault extends Error {
  override readonly name = "DerFault"
}

export const derTags = { integer: 2, bits: 3, name: 6, sequence: 0x30 } as const

/** The values that stand in these bytes one after the other. Throws a DerFault, with Go's words. */
export function derValues(bytes: Buffer): readonly DerValue[] {
  const values: DerValue[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const value = firstOf(rest)
    values.push(value)
    rest = rest.subarray(value.whole.length)
  }
  return values
}

function firstOf(bytes: Buffer): DerValue {
  const tag = bytes[0]!
  const first = bytes[1]
  if (first === undefined) throw new DerFault("asn1: syntax error: truncated tag or length")
  // From 128 on the byte says how many bytes the length has.
  const more = first < 0x80 ? 0 : first - 0x80
  if (more > 4 || bytes.length < 2 + more) throw new DerFault("asn1: syntax error: truncated tag or length")
  const length = more === 0 ? first & 0x7f : bytes.readUIntBE(2, more)
  const end = 2 + more + length
  if (bytes.length < end) throw new DerFault("asn1: syntax error: data truncated")
  return { tag, content: bytes.subarray(2 + more, end), whole: bytes.subarray(0, end) }
}

/** "1.2.840.10045.4.3.2" */
export function derName(content: Buffer): string {
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
