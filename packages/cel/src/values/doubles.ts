const decimal = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/

const words: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  "+inf": Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  "+infinity": Number.POSITIVE_INFINITY,
  "-infinity": Number.NEGATIVE_INFINITY,
  nan: Number.NaN,
}

/** Reads a double as Go's strconv does; returns undefined for anything else, and for what only an infinity could hold. */
export function parseDouble(text: string): number | undefined {
  const word = words[text.toLowerCase()]
  if (word !== undefined) return word
  if (!decimal.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Writes a double as Go's `%g` does: the shortest digits, with an exponent below 1e-4 and from 1e6 on. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN"
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf"
  if (value === 0) return Object.is(value, -0) ? "-0" : "0"
  const [mantissa = "", exponentText = ""] = value.toExponential().split("e")
  const exponent = Number(exponentText)
  if (exponent >= -4 && exponent < 6) return plainDigits(value)
  const sign = exponent < 0 ? "-" : "+"
  return `${mantissa}e${sign}${Math.abs(exponent).toString().padStart(2, "0")}`
}

/** Writes every digit; JavaScript itself uses exponents from 1e21 and below 1e-6. */
export function plainDigits(value: number): string {
  const text = value.toString()
  if (!text.includes("e")) return text
  if (Math.abs(value) >= 1) return BigInt(value).toString()
  const [mantissa = "", exponent] = Math.abs(value).toExponential().split("e")
  return `${value < 0 ? "-" : ""}0.${"0".repeat(-Number(exponent) - 1)}${mantissa.replace(".", "")}`
}
