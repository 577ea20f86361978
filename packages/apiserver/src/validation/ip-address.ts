import { type FieldError, fieldError } from "@pilothouse/api"
import { parseIpv4 } from "../ipv4.ts"

const addressText = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
const rangeText = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"

export function ipErrors(address: string, field: string): readonly FieldError[] {
  return isIp(address) ? [] : [fieldError.invalid(field, address, addressText)]
}

export function cidrErrors(range: string, field: string): readonly FieldError[] {
  const [address = "", bits = "", ...rest] = range.split("/")
  const most = address.includes(":") ? 128 : 32
  const good = isIp(address) && /^\d{1,3}$/.test(bits) && Number(bits) <= most && rest.length === 0
  return good ? [] : [fieldError.invalid(field, range, rangeText)]
}

export function isIp(text: string): boolean {
  return parseIpv4(text) !== undefined || isIpv6(text)
}

/** Eight groups, of which "::" stands for one or more; the last two may be written as an IPv4 address. */
function isIpv6(text: string): boolean {
  const halves = text.split("::")
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")))
  const last = groups.at(-1) ?? ""
  const embedded = last.includes(".")
  if (embedded && parseIpv4(last) === undefined) return false
  const plain = embedded ? groups.slice(0, -1) : groups
  const count = plain.length + (embedded ? 2 : 0)
  return plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) && (halves.length === 2 ? count < 8 : count === 8)
}
