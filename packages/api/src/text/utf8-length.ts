/** Returns how many bytes the text has as UTF-8. Kubernetes counts its limits in bytes. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    // A surrogate pair is two units and four bytes: one byte more for each half.
    bytes += unit < 0x800 || isPair(text, i, unit) ? 1 : 2
  }
  return bytes
}

function isPair(text: string, at: number, unit: number): boolean {
  if (unit >= 0xd800 && unit <= 0xdbff) return isBetween(text.charCodeAt(at + 1), 0xdc00, 0xdfff)
  return isBetween(unit, 0xdc00, 0xdfff) && isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff)
}

function isBetween(unit: number, low: number, high: number): boolean {
  return unit >= low && unit <= high
}
