import { approximateAmount, parseQuantity } from "@pilothouse/api"
import { milliseconds } from "@pilothouse/seams"

/** Something that changes over the life of a container: from each of these moments on it has that value. */
export interface CurvePoint {
  /** Milliseconds after the start. */
  readonly at: number
  readonly text: string
}

/** Values over time, in order of time. */
export type Curve = readonly CurvePoint[]

/** "100m", or "0s=100m,60s=900m". Undefined where that is not what it says. */
export function parseCurve(text: string): Curve | undefined {
  const parts = text.split(",").map((part) => part.trim())
  if (parts.length === 1 && !text.includes("=")) return text.trim() === "" ? undefined : [{ at: 0, text: text.trim() }]
  const points = parts.map((part) => pointOf(part))
  if (points.some((point) => point === undefined)) return undefined
  return (points as CurvePoint[]).sort((a, b) => a.at - b.at)
}

function pointOf(part: string): CurvePoint | undefined {
  const [at = "", text = "", ...more] = part.split("=").map((word) => word.trim())
  const time = durationIn(at)
  return time === undefined || text === "" || more.length > 0 ? undefined : { at: time, text }
}

/** Parses a duration; undefined for any other text: what users write into annotations must not stop a kubelet. */
export function durationIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  try {
    return milliseconds(text)
  } catch {
    return undefined
  }
}

/** Returns the value at a moment, in steps; what it is first holds before the first point too. */
export function stepAt(curve: Curve, elapsed: number): string | undefined {
  return (curve.findLast(({ at }) => at <= elapsed) ?? curve[0])?.text
}

/** When it next has another value. */
export function nextStepAfter(curve: Curve, elapsed: number): number | undefined {
  return curve.find(({ at }) => at > elapsed)?.at
}

/** A quantity at a moment: on the straight line between two points. Undefined where a point is no quantity. */
export function quantityAt(curve: Curve, elapsed: number): number | undefined {
  const after = curve.findIndex(({ at }) => at > elapsed)
  const [left, right] = after < 0 ? [curve.at(-1), undefined] : [curve[after - 1], curve[after]]
  const from = amountIn(left?.text)
  const to = amountIn(right?.text)
  if (left === undefined || right === undefined) return from ?? to
  if (from === undefined || to === undefined) return undefined
  return from + ((to - from) * (elapsed - left.at)) / (right.at - left.at)
}

function amountIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  try {
    return approximateAmount(parseQuantity(text))
  } catch {
    return undefined
  }
}
