/** Milliseconds of each unit. */
const units: ReadonlyMap<string, number> = new Map([
  ["H", 3_600_000],
  ["M", 60_000],
  ["S", 1_000],
  ["m", 1],
  ["u", 1e-3],
  ["n", 1e-6],
])

/** What the header "grpc-timeout" says, in milliseconds: "10S". Undefined where it is none: gRPC has eight digits at most, and a unit. */
export function timeoutOf(text: string): number | undefined {
  const [, digits = "", unit = ""] = /^(\d{1,8})(\w)$/.exec(text) ?? []
  const length = units.get(unit)
  return length === undefined ? undefined : Number(digits) * length
}
