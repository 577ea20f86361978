import { utf8Length } from "@pilothouse/api"
import { parseIp } from "@pilothouse/api/net"

/** Whether a text is an IPv4 address, also one in IPv6 form. Leading zeros are decimal. */
export function isIpv4(text: string): boolean {
  return text.includes(".") && parseIp(text) !== undefined
}

/** Whether a text is an IPv6 address, without leading zeros in its last four bytes. */
export function isIpv6(text: string): boolean {
  return text.includes(":") && isStrictIp(text)
}

/** Whether a text is an address as Go's net package reads it: of four numbers with dots none has leading zeros. */
export function isStrictIp(text: string): boolean {
  const dotted = text.includes(".") ? text.slice(text.lastIndexOf(":") + 1) : ""
  return !/(?:^|\.)0\d/.test(dotted) && parseIp(text) !== undefined
}

/** Whether a text is a block of addresses; that of an IPv4 address in IPv6 form may be of any length. */
export function isCidr(text: string): boolean {
  const [address = "", length = "", ...rest] = text.split("/")
  if (rest.length > 0 || !/^\d{1,3}$/.test(length) || parseIp(address) === undefined) return false
  return Number(length) <= (address.includes(":") ? 128 : 32)
}

/** Whether a text is a hardware address of 6, 8 or 20 bytes: "00:00:5e:00:53:01", "0000.5e00.5301", "00005e005301". */
export function isMac(text: string): boolean {
  if (text.length > 59) return false
  const separator = [":", "-"].find((one) => text[2] === one) ?? (text[4] === "." ? "." : "")
  const parts = separator === "" ? (text.match(/../gs) ?? []) : text.split(separator)
  const digits = separator === "." ? 4 : 2
  const bytes = (parts.length * digits) / 2
  const isWhole = separator !== "" || text.length % 2 === 0
  return isWhole && [6, 8, 20].includes(bytes) && parts.every((part) => part.length === digits && /^[0-9a-f]+$/i.test(part))
}

/** Whether a text is the name of a host: letters and symbols of any script, and a top-level domain of letters where there is a dot. */
export function isHostname(text: string): boolean {
  if (text.length > 255 || utf8Length(text) > 255) return false
  const labels = text.split(".")
  const last = labels.pop()!
  if ([...labels, last].some((label) => utf8Length(label) > 63)) return false
  if (labels.length === 0) return isSingleLabel(last)
  return isTopLevel(last) && labels.every(isLabel)
}

/** A dash may only be its second character: so upstream's expression has it. */
function isSingleLabel(label: string): boolean {
  return /^[0-9\p{S}\p{L}]-?[0-9\p{S}\p{L}]*$/u.test(label)
}

function isLabel(label: string): boolean {
  return /^[-0-9\p{S}\p{L}]+$/u.test(label) && !label.startsWith("-") && !label.endsWith("-")
}

function isTopLevel(label: string): boolean {
  return /^\p{L}{2,63}$/u.test(label)
}

/** Whether a text is a name of up to 63 lower-case letters, digits and dashes. */
export function isShortName(text: string): boolean {
  return text.length <= 63 && isNameSegment(text)
}

/** Whether a text is a name of up to 253 characters, made of segments with dots between them. */
export function isLongName(text: string): boolean {
  return text.length <= 253 && text.split(".").every(isNameSegment)
}

function isNameSegment(segment: string): boolean {
  return /^[-a-z0-9]+$/.test(segment) && !segment.startsWith("-") && !segment.endsWith("-")
}
