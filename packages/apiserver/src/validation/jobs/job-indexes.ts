import { quoted } from "@pilothouse/api"

/** From and to, both of them in it. */
type Interval = readonly [number, number]

/** "0,2-4": the indexes of a Job's pods, rising. Undefined, or what is wrong with the text, in upstream's words. */
export function indexesFault(text: string, completions: number): string | undefined {
  if (text === "") return undefined
  let last = -1
  for (const part of text.split(",")) {
    const interval = intervalOf(part, completions)
    if (typeof interval === "string") return interval
    const [from, to] = interval
    if (last >= from) return disorder(last, from)
    last = to
  }
  return undefined
}

function intervalOf(text: string, completions: number): Interval | string {
  const limits = text.split("-")
  if (limits.length > 2) {
    return `the fragment ${quoted(text)} violates the requirement that an index interval can have at most two parts separated by '-'`
  }
  for (const limit of limits) {
    if (!/^\+?\d+$/.test(limit)) return `cannot convert string to integer for index: ${quoted(limit)}`
    if (Number(limit) >= completions) return `too large index: ${quoted(limit)}`
  }
  const [from = 0, to] = limits.map(Number)
  return to !== undefined && from >= to ? disorder(from, to) : [from, to ?? from]
}

function disorder(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`
}

/** The first index that is in both; parts that cannot be read are left to who reads them. */
export function commonIndex(completed: string, failed: string, completions: number): number | undefined {
  const read = (text: string) =>
    text === ""
      ? []
      : text
          .split(",")
          .flatMap((part) => [intervalOf(part, completions)])
          .filter((one): one is Interval => typeof one !== "string")
  const [left, right] = [read(completed), read(failed)]
  for (let [l, r] = [0, 0]; l < left.length && r < right.length; ) {
    const [from, to] = left[l]!
    const [begin, end] = right[r]!
    if (from <= end && begin <= to) return Math.max(from, begin)
    if (from <= begin) l++
    else r++
  }
  return undefined
}
