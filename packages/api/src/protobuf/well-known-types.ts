// Messages whose JSON is not an object with their fields. Each reader stands at a length and leaves behind the value.
import { parseJson as parseJsonText } from "@pilothouse/seams"
import { durationText } from "./duration.ts"
import { microTimeText, timeText } from "./timestamp.ts"
import { readUtf8 } from "./utf8.ts"
import { Wire, WireFault, type WireReader } from "./wire.ts"

const firstBytes = (1 << 3) | Wire.bytes
const firstVarint = (1 << 3) | Wire.varint
const secondVarint = (2 << 3) | Wire.varint
const thirdBytes = (3 << 3) | Wire.bytes

/** {1: text}. The text is kept as it came; Go's clients write the canonical form. An empty message is zero. */
export function readQuantity(reader: WireReader): string {
  const outer = reader.enter()
  let text = ""
  while (reader.position < reader.end) {
    const tag = reader.tag()
    if (tag === firstBytes) text = reader.string()
    else reader.skip(tag, 1)
  }
  reader.leave(outer)
  return text === "" ? "0" : text
}

/** {1: 0 number or 1 text, 2: number, 3: text} */
export function readIntOrString(reader: WireReader): number | string {
  const start = reader.position
  const outer = reader.enter()
  let type = 0
  let number = 0
  let text = ""
  while (reader.position < reader.end) {
    const tag = reader.tag()
    if (tag === firstVarint) type = Number(reader.int64())
    else if (tag === secondVarint) number = reader.int32()
    else if (tag === thirdBytes) text = reader.string()
    else reader.skip(tag, 3)
  }
  reader.leave(outer)
  if (type !== 0 && type !== 1) throw new WireFault(start, `the type of an IntOrString is 0 or 1, not ${type}`)
  return type === 0 ? number : text
}

/** {1: seconds, 2: nanoseconds, which Go ignores here}. Null for an empty message: Go's zero time. */
export function readTime(reader: WireReader): string | null {
  const start = reader.position
  const outer = reader.enter()
  const isZero = reader.position === reader.end
  let seconds = 0
  while (reader.position < reader.end) {
    const tag = reader.tag()
    if (tag === firstVarint) seconds = Number(reader.int64())
    else reader.skip(tag, 1)
  }
  reader.leave(outer)
  return isZero ? null : timeText(seconds, start)
}

/** {1: seconds, 2: nanoseconds} */
export function readMicroTime(reader: WireReader): string | null {
  const start = reader.position
  const outer = reader.enter()
  const isZero = reader.position === reader.end
  let seconds = 0
  let nanos = 0
  while (reader.position < reader.end) {
    const tag = reader.tag()
    if (tag === firstVarint) seconds = Number(reader.int64())
    else if (tag === secondVarint) nanos = reader.int32()
    else reader.skip(tag, 2)
  }
  reader.leave(outer)
  return isZero ? null : microTimeText(seconds, nanos, start)
}

/** {1: nanoseconds} */
export function readDuration(reader: WireReader): string {
  const outer = reader.enter()
  let nanoseconds = 0n
  while (reader.position < reader.end) {
    const tag = reader.tag()
    if (tag === firstVarint) nanoseconds = reader.bigint64()
    else reader.skip(tag, 1)
  }
  reader.leave(outer)
  return durationText(nanoseconds)
}

/** {1: repeated text}: ExtraValue, Verbs. */
export function readStrings(reader: WireReader): string[] {
  const outer = reader.enter()
  const list: string[] = []
  while (reader.position < reader.end) {
    const tag = reader.tag()
    if (tag === firstBytes) list.push(reader.string())
    else reader.skip(tag, 1)
  }
  reader.leave(outer)
  return list
}

/** {1: bytes}: where the bytes of a FieldsV1, JSON or RawExtension lie; start = end when there are none. */
export function readRaw(reader: WireReader): { readonly start: number; readonly end: number } {
  const outer = reader.enter()
  let start = reader.end
  let end = reader.end
  while (reader.position < reader.end) {
    const tag = reader.tag()
    if (tag === firstBytes) {
      end = reader.lengthEnd()
      start = reader.position
      reader.position = end
    } else reader.skip(tag, 1)
  }
  reader.leave(outer)
  return { start, end }
}

/** Parses the raw bytes of an embedded JSON value; no bytes are null. */
export function parseJson(reader: WireReader, start: number, end: number): unknown {
  if (start === end) return null
  const text = readUtf8(reader.bytes, start, end)
  try {
    return parseJsonText(text)
  } catch {
    // What V8 says of the text names a place within it, which the reader cannot see; the offset says more.
    throw new WireFault(start, "these bytes are JSON text")
  }
}
