import { formatQuantity } from "./quantity-format.ts"
import { parseQuantity } from "./quantity-parse.ts"

/** Spaces around it; not the white space that JSON can only write as an escape ("5\n"): upstream trims the text before it reads the escapes. */
const space = /[^\S\t\n\v\f\r\ufeff]/

/** What the API server stores for what was sent: "0.5" as "500m", "1024Ki" as "1Mi", the number 2 as "2". */
export function canonicalQuantity(value: string | number | bigint): string {
  return formatQuantity(parseQuantity(trimmed(String(value))))
}

function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && space.test(text[start]!)) start++
  while (start < end && space.test(text[end - 1]!)) end--
  return text.slice(start, end)
}
