/** The middle value, or the mean of the two middle ones; NaN of an empty list. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The distance between the quartiles as a part of the median: 0.04 when the middle half of the values lies within 4 % of the median. */
export function spread(values: readonly number[]): number {
  const distance = quantile(values, 0.75) - quantile(values, 0.25)
  return distance === 0 ? 0 : distance / Math.abs(median(values))
}

/** Between two values it is interpolated: the lower quartile of 1, 2, 3, 4 is 1.75. */
function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  const place = (sorted.length - 1) * part
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  if (below === undefined || above === undefined) return Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}
