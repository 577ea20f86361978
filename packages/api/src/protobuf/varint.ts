/** Returns how many bytes `writeVarint` writes. The value is a whole number of at most 53 bits, not negative. */
export function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++
  return length
}

/** Writes a varint (seven bits a byte, the lowest first) at `at`, and returns where the next byte goes. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let next = at
  let rest = value
  // Shifts are faster, but only for 31 bits.
  for (; rest > 0x7fff_ffff; rest = Math.floor(rest / 128)) bytes[next++] = (rest % 128) | 0x80
  for (; rest > 0x7f; rest >>>= 7) bytes[next++] = (rest & 0x7f) | 0x80
  bytes[next++] = rest
  return next
}

/** Returns the tag of a field: its number and its wire type (0: varint, 1: eight bytes, 2: bytes with their length before them). */
export function fieldTag(number: number, wire: 0 | 1 | 2): number {
  return number * 8 + wire
}
