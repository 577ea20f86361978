import type { HeaderMap } from "@pilothouse/seams"

/**
 * Parses Retry-After into milliseconds; undefined without it. Seconds, or a date (proxies), which is relative to the date of the
 * response, because clocks differ, or to `now` where the response has none.
 */
export function retryAfterHeader({ "retry-after": value, date }: HeaderMap, now = Number.NaN): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const wait = Date.parse(value) - (date === undefined ? now : Date.parse(date))
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
