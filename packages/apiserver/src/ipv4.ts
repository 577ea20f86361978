import { PilothouseError } from "@pilothouse/seams"

/** A block of addresses: "10.96.0.0/12". */
export interface Ipv4Range {
  readonly text: string
  readonly first: number
  readonly size: number
}

export function parseIpv4(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number)
  if (parts === undefined || parts.some((part) => part > 255)) return undefined
  return parts.reduce((sum, part) => sum * 256 + part, 0)
}

export function formatIpv4(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".")
}

export function parseIpv4Range(text: string): Ipv4Range {
  const [address = "", bits = ""] = text.split("/")
  const first = parseIpv4(address)
  if (first === undefined || !/^\d{1,2}$/.test(bits) || Number(bits) > 30) {
    throw new PilothouseError("INVALID", `expected an IPv4 range such as "10.96.0.0/12", found ${JSON.stringify(text)}`)
  }
  const size = 2 ** (32 - Number(bits))
  return { text, first: first - (first % size), size }
}

/** What pods call the API by: the first address of the range of Services. */
export function firstServiceAddress(range: string): string {
  return formatIpv4(parseIpv4Range(range).first + 1)
}
