/** A double the way Go's %v writes it: in as few digits as identify it, with an exponent below 0.0001 and from 1,000,000 on ("1e+06", "1.5e-05"). */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : `${value > 0 ? "+" : "-"}Inf`
  if (value === 0) return Object.is(value, -0) ? "-0" : "0"
  const [digits = "", exponent = ""] = value.toExponential().split("e")
  const power = Number(exponent)
  // JavaScript writes an exponent only from 1e21 on and below 1e-6.
  if (power >= -4 && power < 6) return String(value)
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`
}
