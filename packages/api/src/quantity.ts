import { formatQuantity } from "./quantity-format.ts"
import { parseQuantity } from "./quantity-parse.ts"

/** What the API server stores for what was sent: "0.5" as "500m", "1024Ki" as "1Mi", the number 2 as "2". */
export function canonicalQuantity(value: string | number): string {
  return formatQuantity(parseQuantity(String(value).trim()))
}
