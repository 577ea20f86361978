import {
  type Amount,
  approximateAmount,
  compareAmounts,
  formatQuantity,
  isZeroAmount,
  parseQuantity,
  type Resources,
} from "@pilothouse/api"
import type { LimitRangeItem } from "@pilothouse/api/core/v1"

/** What of the amounts lies outside of a range, in upstream's words. One by one: a range of 10,000 names has as many faults for each container. */
export function* limitFaults(item: LimitRangeItem, requests: Resources, limits: Resources): Generator<string, void> {
  const { type, min, max, maxLimitRequestRatio } = item
  for (const [name, least] of Object.entries(min ?? {})) yield* minimumFaults(type, name, parseQuantity(least), requests, limits)
  for (const [name, most] of Object.entries(max ?? {})) yield* maximumFaults(type, name, parseQuantity(most), requests, limits)
  for (const [name, most] of Object.entries(maxLimitRequestRatio ?? {}))
    yield* ratioFaults(type, name, parseQuantity(most), requests, limits)
}

function minimumFaults(type: string, name: string, least: Amount, requests: Resources, limits: Resources): readonly string[] {
  const [request, limit] = [requests.get(name), limits.get(name)]
  const bound = `minimum ${name} usage per ${type} is ${formatQuantity(least)}`
  if (request === undefined) return [`${bound}.  No request is specified`]
  if (compareAmounts(request, least) < 0) return [`${bound}, but request is ${formatQuantity(request)}`]
  return limit !== undefined && compareAmounts(limit, least) < 0 ? [`${bound}, but limit is ${formatQuantity(limit)}`] : []
}

function maximumFaults(type: string, name: string, most: Amount, requests: Resources, limits: Resources): readonly string[] {
  const [request, limit] = [requests.get(name), limits.get(name)]
  const bound = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`
  // Claims have requests only.
  if (type === "PersistentVolumeClaim") {
    return request !== undefined && compareAmounts(request, most) > 0 ? [`${bound}, but request is ${formatQuantity(request)}`] : []
  }
  if (limit === undefined) return [`${bound}.  No limit is specified`]
  if (compareAmounts(limit, most) > 0) return [`${bound}, but limit is ${formatQuantity(limit)}`]
  return request !== undefined && compareAmounts(request, most) > 0 ? [`${bound}, but request is ${formatQuantity(request)}`] : []
}

function ratioFaults(type: string, name: string, most: Amount, requests: Resources, limits: Resources): readonly string[] {
  const [request, limit] = [requests.get(name), limits.get(name)]
  const bound = `${name} max limit to request ratio per ${type} is ${formatQuantity(most)}`
  if (request === undefined || isZeroAmount(request)) return [`${bound}, but no request is specified or request is 0`]
  if (limit === undefined || isZeroAmount(limit)) return [`${bound}, but no limit is specified or limit is 0`]
  const ratio = approximateAmount(limit) / approximateAmount(request)
  return ratio > approximateAmount(most) ? [`${bound}, but provided ratio is ${ratio.toFixed(6)}`] : []
}
