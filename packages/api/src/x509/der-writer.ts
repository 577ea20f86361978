import { derTags } from "./der.ts"

/** Writes one value: its tag, its length and its content. */
export function derValue(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 0)
  return joined([Uint8Array.of(tag, ...lengthBytes(length)), ...content])
}

/** Writes a SEQUENCE of these elements. */
export function derSequence(...values: readonly Uint8Array[]): Uint8Array {
  return derValue(derTags.sequence, ...values)
}

/** Writes a SET, whose members DER orders by their bytes. */
export function derSet(...values: readonly Uint8Array[]): Uint8Array {
  return derValue(derTags.set, ...[...values].sort(compareBytes))
}

/** Writes a number that is not negative. */
export function derInteger(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0)
  const digits = start < 0 ? Uint8Array.of(0) : bytes.subarray(start)
  return derValue(derTags.integer, ...(digits[0]! < 0x80 ? [digits] : [Uint8Array.of(0), digits]))
}

/** Writes an object identifier: "2.5.29.15". */
export function derIdentifier(name: string): Uint8Array {
  const [root = 0, second = 0, ...others] = name.split(".").map(Number)
  return derValue(derTags.name, Uint8Array.from([root * 40 + second, ...others].flatMap(base128)))
}

export function derBoolean(value: boolean): Uint8Array {
  return derValue(derTags.boolean, Uint8Array.of(value ? 0xff : 0))
}

/** Writes whole bytes as bits. */
export function derBits(bytes: Uint8Array, unused = 0): Uint8Array {
  return derValue(derTags.bits, Uint8Array.of(unused), bytes)
}

export function derBytes(bytes: Uint8Array): Uint8Array {
  return derValue(derTags.bytes, bytes)
}

/** Writes text as Go does: a PrintableString where its letters allow it. */
export function derString(text: string): Uint8Array {
  const tag = /^[A-Za-z0-9 '()+,./:=?-]*$/.test(text) ? derTags.printable : derTags.utf8
  return derValue(tag, new TextEncoder().encode(text))
}

/** Writes a time in whole seconds: UTCTime up to 2049, as certificates have it. */
export function derTimeValue(time: number): Uint8Array {
  const digits = `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:T]/g, "")}Z`
  const isShort = digits >= "1950" && digits < "2050"
  return derValue(isShort ? derTags.utcTime : derTags.time, new TextEncoder().encode(isShort ? digits.slice(2) : digits))
}

/** Writes several values after each other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 + bytes.length, ...bytes]
}

function base128(number: number): readonly number[] {
  const bytes = [number % 128]
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 + (rest % 128))
  return bytes
}

function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const at = one.findIndex((byte, index) => byte !== other[index])
  return at < 0 ? one.length - other.length : one[at]! - (other[at] ?? -1)
}
