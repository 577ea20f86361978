import { fieldTag, varintLength, writeVarint } from "@pilothouse/api/protobuf"

/*
 * The part of the wire format that the hot path writes itself: fields with a length. What is inside was encoded before and is only put together,
 * which costs a fortieth of encoding it again.
 */

/** The tag and length that stand before `length` bytes of a field. */
export function header(field: number, length: number): Buffer {
  return twoVarints(fieldTag(field, 2), length)
}

function twoVarints(first: number, second: number): Buffer {
  const bytes = Buffer.allocUnsafe(varintLength(first) + varintLength(second))
  writeVarint(bytes, writeVarint(bytes, 0, first), second)
  return bytes
}

/** One field whole. */
export function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([header(number, content.length), content])
}

/** Encodes a field of text. */
export function textField(number: number, text: string): Buffer {
  return field(number, Buffer.from(text, "utf8"))
}

/** A field of type uint32; nothing where it is 0, as proto3 has it. */
export function numberField(number: number, value: number): Buffer {
  return value === 0 ? Buffer.alloc(0) : twoVarints(fieldTag(number, 0), value)
}

/** Returns the sum of the lengths. */
export function lengthOf(parts: readonly Uint8Array[]): number {
  let sum = 0
  for (const part of parts) sum += part.length
  return sum
}
