// Codes of a fixed form, some with a last digit that is computed from the others.

const card = /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/

/** Whether the digits of a text are the number of a credit card. What is between them is left out. */
export function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]/g, "")
  if (!card.test(digits)) return false
  // Every second digit from the right counts twice, as the sum of its digits.
  const sum = digitsOf(digits)
    .toReversed()
    .reduce((total, digit, index) => total + (index % 2 === 0 ? digit : digit * 2 - (digit >= 5 ? 9 : 0)), 0)
  return sum % 10 === 0
}

/** Whether a text is an ISBN of ten digits, the last of which may be X. Dashes and white space are left out. */
export function isIsbn10(text: string): boolean {
  const digits = withoutSeparators(text)
  if (!/^\d{9}[\dX]$/.test(digits)) return false
  const values = [...digitsOf(digits.slice(0, 9)), digits[9] === "X" ? 10 : Number(digits[9])]
  return values.reduce((sum, value, index) => sum + (index + 1) * value, 0) % 11 === 0
}

/** Whether a text is an ISBN of thirteen digits. Dashes and white space are left out. */
export function isIsbn13(text: string): boolean {
  const digits = withoutSeparators(text)
  if (!/^\d{13}$/.test(digits)) return false
  const sum = digitsOf(digits.slice(0, 12)).reduce((total, digit, index) => total + (index % 2 === 0 ? digit : 3 * digit), 0)
  return Number(digits[12]) === (10 - (sum % 10)) % 10
}

function withoutSeparators(text: string): string {
  return text.replaceAll(/[\t\n\f\r -]/g, "")
}

function digitsOf(text: string): readonly number[] {
  return Array.from(text, Number)
}

/** Whether a text is "rgb(255, 0, 127)", without leading zeros. */
export function isRgbColor(text: string): boolean {
  if (!text.startsWith("rgb(") || !text.endsWith(")")) return false
  const parts = text.slice(4, -1).split(",", 4)
  return parts.length === 3 && parts.every((part) => Number(colorValue.exec(part)?.[1] ?? 256) < 256)
}

const colorValue = /^[\t\n\f\r ]*(0|[1-9]\d{0,2})[\t\n\f\r ]*$/
