/** The engine's own search compares up to all of the part at each place: for short parts and texts that is fast. */
const shortPart = 16
const fewComparisons = 1_000_000

function isQuick(text: string, part: string): boolean {
  return part.length <= shortPart || text.length * part.length <= fewComparisons
}

/** Returns where a part begins, at a place or behind it; -1 if it does not. The time is linear, also for a part that almost occurs everywhere. */
export function findText(text: string, part: string, from = 0): number {
  return isQuick(text, part) ? text.indexOf(part, from) : search(text, part, { from, unit: String.prototype.charCodeAt })
}

/** Returns where a part begins last, at a place or before it; -1 if it does not. */
export function findLastText(text: string, part: string, from = text.length): number {
  if (isQuick(text, part)) return text.lastIndexOf(part, from)
  const last = text.length - part.length
  const found = search(text, part, { from: Math.max(0, last - from), unit: unitFromEnd })
  return found < 0 ? -1 : last - found
}

/** Splits a text at each separator, which is not empty. */
export function splitText(text: string, separator: string): string[] {
  if (isQuick(text, separator)) return text.split(separator)
  const pieces: string[] = []
  let begin = 0
  for (let found = findText(text, separator); found >= 0; found = findText(text, separator, begin)) {
    pieces.push(text.slice(begin, found))
    begin = found + separator.length
  }
  return [...pieces, text.slice(begin)]
}

function unitFromEnd(this: string, index: number): number {
  return this.charCodeAt(this.length - 1 - index)
}

interface Search {
  readonly from: number
  /** Reads a text from its begin or from its end. */
  readonly unit: (this: string, index: number) => number
}

/** The search of Knuth, Morris and Pratt: what matched of the part so far says where it can match next, so nothing is read twice. */
function search(text: string, part: string, { from, unit }: Search): number {
  const borders = bordersOf(part, unit)
  let matched = 0
  for (let index = from; index < text.length; index++) {
    const next = unit.call(text, index)
    while (matched > 0 && unit.call(part, matched) !== next) matched = borders[matched - 1] as number
    if (unit.call(part, matched) === next) matched++
    if (matched === part.length) return index - part.length + 1
  }
  return -1
}

/** Returns how much of the begin of a part is also the end of each of its prefixes. */
function bordersOf(part: string, unit: Search["unit"]): Int32Array {
  const borders = new Int32Array(part.length)
  let border = 0
  for (let index = 1; index < part.length; index++) {
    const next = unit.call(part, index)
    while (border > 0 && unit.call(part, border) !== next) border = borders[border - 1] as number
    if (unit.call(part, border) === next) border++
    borders[index] = border
  }
  return borders
}
