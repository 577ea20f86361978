/** Lines of context around a change. */
const context = 3
/** Lines of one text that are compared. A longer difference is of no use in a message, and computing it would delay other requests. */
const maxLines = 1000
/** From so many lines on, those that are more than a hundredth of them say nothing about where a text goes on. As upstream. */
const manyLines = 200

/** A run of lines that both texts have: where it begins in each, and how long it is. */
type Block = readonly [left: number, right: number, size: number]

/** Two texts as `diff -u` shows them, without a heading: what upstream puts into its refusals. "" when they are equal. */
export function unifiedDiff(left: string, right: string): string {
  if (left === right) return ""
  const [before, after] = [left.split("\n"), right.split("\n")]
  if (Math.max(before.length, after.length) > maxLines) return `(the difference is not shown: more than ${maxLines} lines)\n`
  return hunksOf(matches({ before, after, places: placesOf(after) }), before.length, after.length)
    .map((blocks) => hunkText(blocks, before, after))
    .join("")
}

interface Texts {
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Where each line stands in the second one. */
  readonly places: ReadonlyMap<string, readonly number[]>
}

/** A part of both texts, without the lines where it ends. */
type Part = readonly [left: number, leftEnd: number, right: number, rightEnd: number]

function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = Map.groupBy(lines.keys(), (at) => lines[at]!)
  if (lines.length < manyLines) return places
  const max = Math.floor(lines.length / 100) + 1
  return new Map([...places].filter(([, found]) => found.length <= max))
}

/** The longest run that both have, then what is left and right of it in the same way; the last block is empty and stands at the end. */
function matches(texts: Texts): readonly Block[] {
  const { before, after } = texts
  const found: Block[] = []
  const open: Part[] = [[0, before.length, 0, after.length]]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const block = longest(texts, part)
    const [left, right, size] = block
    if (size === 0) continue
    found.push(block)
    open.push([part[0], left, part[2], right], [left + size, part[1], right + size, part[3]])
  }
  return [...joined(found.sort(([one], [other]) => one - other)), [before.length, after.length, 0]]
}

/** Of runs that are equally long the first. */
function longest({ before, after, places }: Texts, part: Part): Block {
  const [start, leftEnd, rightStart, rightEnd] = part
  let best: Block = [start, rightStart, 0]
  let sizes = new Map<number, number>()
  for (let left = start; left < leftEnd; left++) {
    const next = new Map<number, number>()
    for (const right of places.get(before[left]!) ?? []) {
      if (right < rightStart || right >= rightEnd) continue
      const size = (sizes.get(right - 1) ?? 0) + 1
      next.set(right, size)
      if (size > best[2]) best = [left - size + 1, right - size + 1, size]
    }
    sizes = next
  }
  return widened(best, { before, after }, part)
}

/** With the lines around it that are in both texts, but too frequent to be looked for. */
function widened([left, right, size]: Block, { before, after }: Omit<Texts, "places">, part: Part): Block {
  const [start, leftEnd, rightStart, rightEnd] = part
  let less = 0
  while (left - less > start && right - less > rightStart && before[left - less - 1] === after[right - less - 1]) less++
  let more = size
  while (left + more < leftEnd && right + more < rightEnd && before[left + more] === after[right + more]) more++
  return [left - less, right - less, more + less]
}

function joined(blocks: readonly Block[]): readonly Block[] {
  const result: Block[] = []
  for (const [left, right, size] of blocks) {
    const [l, r, s] = result.at(-1) ?? [-1, -1, 0]
    if (l + s === left && r + s === right) result[result.length - 1] = [l, r, s + size]
    else result.push([left, right, size])
  }
  return result
}

/** A change: lines that go, and lines that come in their place. */
interface Change {
  readonly left: readonly [number, number]
  readonly right: readonly [number, number]
}

/** Changes that are near each other are shown together. */
function hunksOf(blocks: readonly Block[], leftLength: number, rightLength: number): readonly (readonly Change[])[] {
  const hunks: Change[][] = []
  let [left, right] = [0, 0]
  for (const [l, r, size] of blocks) {
    if (left < l || right < r) {
      const change: Change = { left: [left, l], right: [right, r] }
      const last = hunks.at(-1)
      const near = last !== undefined && left - last.at(-1)!.left[1] <= 2 * context
      if (near) last.push(change)
      else hunks.push([change])
    }
    ;[left, right] = [l + size, r + size]
  }
  return leftLength + rightLength === 0 ? [] : hunks
}

function hunkText(changes: readonly Change[], before: readonly string[], after: readonly string[]): string {
  const [first, last] = [changes[0]!, changes.at(-1)!]
  const start = Math.max(0, first.left[0] - context)
  const end = Math.min(before.length, last.left[1] + context)
  const shift = first.left[0] - start
  const rightEnd = last.right[1] + (end - last.left[1])
  const lines: string[] = []
  let at = start
  for (const { left, right } of changes) {
    lines.push(...before.slice(at, left[0]).map((line) => ` ${line}`))
    lines.push(...before.slice(...left).map((line) => `-${line}`), ...after.slice(...right).map((line) => `+${line}`))
    at = left[1]
  }
  lines.push(...before.slice(at, end).map((line) => ` ${line}`))
  const head = `@@ -${range(start, end)} +${range(first.right[0] - shift, rightEnd)} @@`
  return [head, ...lines].map((line) => `${line}\n`).join("")
}

function range(start: number, end: number): string {
  const length = end - start
  if (length === 1) return String(start + 1)
  return `${length === 0 ? start : start + 1},${length}`
}
