import { isAscii } from "node:buffer"
import { parseJson } from "@pilothouse/seams"

const field = '"managedFields":'
const begin = `${field}[{`
const end = "]"
/** Replaces them in the text; no server writes a number there. */
const mark = 0
const [beginBytes, endByte, markByte] = [Buffer.from(begin), end.charCodeAt(0), String(mark).charCodeAt(0)]

/** What may have managedFields. */
interface Holder {
  metadata?: { managedFields?: unknown }
}

/**
 * Parses the JSON of an object without its metadata.managedFields, which are a fifth of most objects and would be dropped after parsing.
 * `holder` finds the object in the parsed value. Undefined where the text is not JSON.
 *
 * The first managedFields of the text are assumed to be its metadata's, and the next bracket their end. This is verified: the mark
 * in their place has to be in the metadata; and a wrong bracket (in a string, of a nested list) leaves quotes or brackets
 * that do not match. In both cases the whole text is parsed.
 */
export function parseWithoutManagedFields(text: string, holder: FindHolder): unknown {
  const short = shortened(text)
  return (short === undefined ? undefined : parsedShort(short, holder)) ?? parsed(text)
}

/** Finds the object in the parsed value. */
type FindHolder = (value: unknown) => unknown

/** Undefined where the removed part was not the managedFields of its metadata. */
function parsedShort(short: string, holder: FindHolder): unknown {
  const value = parsed(short)
  const object = (value === undefined ? undefined : holder(value)) as Holder | null | undefined
  if (object?.metadata?.managedFields !== mark) return undefined
  const { managedFields: _, ...metadata } = object.metadata
  object.metadata = metadata
  return value
}

function shortened(text: string): string | undefined {
  const at = text.indexOf(begin)
  const to = at < 0 ? -1 : text.indexOf(end, at)
  return to < 0 ? undefined : text.slice(0, at + field.length) + mark + text.slice(to + end.length)
}

/**
 * The same for undecoded bytes: the removed part never becomes a string, and the rest is decoded once.
 *
 * Invariant: the buffer is at least as long as the longest text so far, and is private.
 */
export class ManagedFieldsSkipper {
  #room = Buffer.allocUnsafeSlow(0)

  parse(bytes: Buffer, holder: FindHolder): unknown {
    const short = this.#shortened(bytes)
    return (short === undefined ? undefined : parsedShort(short, holder)) ?? parsed(decoded(bytes))
  }

  #shortened(bytes: Buffer): string | undefined {
    const at = bytes.indexOf(beginBytes)
    const to = at < 0 ? -1 : bytes.indexOf(endByte, at)
    if (to < 0) return undefined
    if (this.#room.length < bytes.length) this.#room = Buffer.allocUnsafeSlow(2 * bytes.length)
    const cut = at + field.length
    bytes.copy(this.#room, 0, 0, cut)
    this.#room[cut] = markByte
    const length = cut + 1 + bytes.copy(this.#room, cut + 1, to + 1)
    return this.#room.toString(encodingOf(bytes), 0, length)
  }
}

/** Decodes UTF-8, by the shorter way where all bytes are ASCII. */
export function decoded(bytes: Buffer): string {
  return bytes.toString(encodingOf(bytes))
}

/** Most objects are ASCII only, which needs no decoding. */
function encodingOf(bytes: Buffer): "latin1" | "utf8" {
  return isAscii(bytes) ? "latin1" : "utf8"
}

/** Returns undefined where the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
