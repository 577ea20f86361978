import { isAscii } from "node:buffer"

const beforeItems = '"items":['
const afterItems = "]}"
/** Everything before the items is type and metadata: longer than this, it is something else. */
const longestHead = 65_536
/** A part that begins as the items do may stand inside an item, a few times. More often than this, parsing all at once is cheaper. */
const mostTries = 16
const colon = 0x3a
const newline = 0x0a

/**
 * Reads a list item after item out of its bytes, so that what is not kept of one (managedFields, strings that others have too) is let go
 * while it is young. Parsed at once, all of it lives until the last item is there: the collector copies it twice, and the heap grows for it.
 *
 * Go writes all items of a list with the same first field, so the next one begins where "},{" and that field stand. That may also stand inside
 * an item; but the beginning of a JSON object is never a whole one, so a piece that can be parsed is an item, and one that cannot goes on.
 *
 * Gives the list as it stands on the wire, without its items. Undefined: this is not written as Go writes it, and has to be parsed at once;
 * the items that were told until then are the first ones of it.
 */
export function readItems(bytes: Uint8Array, each: (item: unknown) => void): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const head = text.subarray(0, longestHead).indexOf(beforeItems)
  const end = endOfItems(text)
  if (head < 0 || end < head + beforeItems.length) return undefined
  const from = head + beforeItems.length
  const list = parsed(text.toString("utf8", 0, from) + afterItems)
  if (list === undefined) return undefined
  return from === end || readAll(text.subarray(from, end), each) ? list : undefined
}

/** Where the "]}" of the list stands; -1 where it does not end so. */
function endOfItems(text: Buffer): number {
  const end = text.at(-1) === newline ? text.length - 1 : text.length
  const at = end - afterItems.length
  return at >= 0 && text.toString("latin1", at, end) === afterItems ? at : -1
}

/** False where it had to be given up. */
function readAll(text: Buffer, each: (item: unknown) => void): boolean {
  // Most lists have nothing but ASCII in them, and then there is nothing to decode.
  const encoding = isAscii(text) ? "latin1" : "utf8"
  const field = text.indexOf(colon)
  const next = Buffer.concat([Buffer.from("},"), text.subarray(0, field + 1)])
  for (let from = 0; from < text.length; ) {
    const found = readOne({ text, encoding, next }, from)
    if (found === undefined) return false
    each(found.item)
    from = found.end + 1
  }
  return true
}

interface Items {
  readonly text: Buffer
  readonly encoding: "latin1" | "utf8"
  /** What stands between two items. */
  readonly next: Buffer
}

function readOne({ text, encoding, next }: Items, from: number): { readonly item: unknown; readonly end: number } | undefined {
  for (let tries = 0, at = from; tries < mostTries; tries++) {
    at = text.indexOf(next, at)
    const end = at < 0 ? text.length : at + 1
    const item = parsed(text.toString(encoding, from, end))
    if (item !== undefined) return { item, end }
    if (at < 0) return undefined
    at = end
  }
  return undefined
}

/** Undefined where it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
