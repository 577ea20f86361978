import { isAscii } from "node:buffer"
import { parseJson } from "@pilothouse/seams"

const field = '"managedFields":'
const begin = `${field}[{`
const end = "]"
/** Stands in the text in their place; no server writes a number there. */
const mark = 0
const [beginBytes, endByte, markByte] = [Buffer.from(begin), end.charCodeAt(0), String(mark).charCodeAt(0)]

/** What may have managedFields. */
interface Holder {
  metadata?: { managedFields?: unknown }
}

/**
 * Parses the JSON of an object without its metadata.managedFields, which are a fifth of most and would be thrown away as soon as they were parsed.
 * `holder` finds the object in what was parsed. Undefined where the text is not JSON.
 *
 * The first managedFields of the text are taken for its metadata's, and the next bracket for their end. Then it shows whether that was so: the mark
 * that was put in their place has to stand in the metadata; and a bracket that is no end (in a string, of a list in a list) leaves quotes or brackets
 * that do not match. In both cases the whole text is parsed.
 */
export function parseWithoutManagedFields(text: string, holder: FindHolder): unknown {
  const short = shortened(text)
  return (short === undefined ? undefined : parsedShort(short, holder)) ?? parsed(text)
}

/** Finds the object in what was parsed. */
type FindHolder = (value: unknown) => unknown

/** Undefined where what was cut out were not the managedFields of its metadata. */
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
 * The same for bytes that are not decoded yet: what is cut out never becomes a string, and neither does a copy of the rest.
 *
 * Always true between calls: the room is at least as long as the longest text that was cut, and nobody else sees it.
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

export function decoded(bytes: Buffer): string {
  return bytes.toString(encodingOf(bytes))
}

/** Most objects have nothing but ASCII in them, and then there is nothing to decode. */
function encodingOf(bytes: Buffer): "latin1" | "utf8" {
  return isAscii(bytes) ? "latin1" : "utf8"
}

/** Undefined where it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
