import type { HeaderMap } from "@pilothouse/seams"

/**
 * How long a server asks to wait, in milliseconds; undefined where it does not say. Seconds, or a date (proxies): that one is counted from the date of the
 * answer, because the server's clock may not be ours, and from `now` where the answer has none.
 */
export function retryAfterHeader({ "retry-after": value, date }: HeaderMap, now = Number.NaN): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const wait = Date.parse(value) - (date === undefined ? now : Date.parse(date))
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
