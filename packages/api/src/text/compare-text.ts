/** Orders texts as Go does, by their UTF-8 bytes: JavaScript's own order differs where halves of surrogate pairs are concerned. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (one !== other) return byteRank(one) - byteRank(other)
  }
  return a.length - b.length
}

function byteRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
