/** What is wrong with an address, and where, as Go's netip has it. */
interface Fault {
  readonly message: string
  readonly at?: string
}

/** Returns what Go's netip.ParseAddr says of a text: `ParseAddr("1.2.3"): IPv4 address too short`; undefined for an address. */
export function parseAddrFault(text: string): string | undefined {
  const fault = faultOf(text)
  if (!fault) return undefined
  const place = fault.at === undefined ? "" : ` (at ${JSON.stringify(fault.at)})`
  return `ParseAddr(${JSON.stringify(text)}): ${fault.message}${place}`
}

function faultOf(text: string): Fault | undefined {
  switch (/[.:%]/.exec(text)?.[0]) {
    case ".":
      return ipv4Fault(text)
    case ":":
      return ipv6Fault(text)
    case "%":
      return { message: "missing IPv6 address" }
    default:
      return { message: "unable to parse IP" }
  }
}

function ipv4Fault(text: string): Fault | undefined {
  let [field, digits, dots] = [0, 0, 0]
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string
    if (character >= "0" && character <= "9") {
      if (digits === 1 && field === 0) return { message: "IPv4 field has octet with leading zero" }
      field = field * 10 + Number(character)
      digits++
      if (field > 255) return { message: "IPv4 field has value >255" }
    } else if (character !== ".") return { message: "unexpected character", at: text.slice(index) }
    else {
      if (index === 0 || index === text.length - 1 || text[index - 1] === ".")
        return { message: "IPv4 field must have at least one digit", at: text.slice(index) }
      if (dots === 3) return { message: "IPv4 address too long" }
      dots++
      ;[field, digits] = [0, 0]
    }
  }
  return dots < 3 ? { message: "IPv4 address too short" } : undefined
}

function ipv6Fault(text: string): Fault | undefined {
  const zone = text.indexOf("%")
  if (zone === text.length - 1) return { message: "zone must be a non-empty string" }
  const address = zone < 0 ? text : text.slice(0, zone)
  const hasEllipsis = address.startsWith("::")
  if (address === "::") return undefined
  return new FieldReader(hasEllipsis ? address.slice(2) : address, hasEllipsis).read()
}

/** Reads the fields of an IPv6 address. Between calls: `rest` is what is left of the text, `bytes` is how many are read. */
class FieldReader {
  private rest: string
  private hasEllipsis: boolean
  private bytes = 0

  constructor(rest: string, hasEllipsis: boolean) {
    this.rest = rest
    this.hasEllipsis = hasEllipsis
  }

  read(): Fault | undefined {
    while (this.bytes < 16) {
      const next = this.readField()
      if (next === "end") break
      if (next !== undefined) return next
    }
    if (this.rest !== "") return { message: "trailing garbage after address", at: this.rest }
    if (this.bytes < 16) return this.hasEllipsis ? undefined : { message: "address string too short" }
    return this.hasEllipsis ? { message: "the :: must expand to at least one field of zeros" } : undefined
  }

  private readField(): Fault | "end" | undefined {
    const { rest } = this
    const digits = /^[0-9a-fA-F]{0,5}/.exec(rest)?.[0].length ?? 0
    if (digits > 4) return { message: "each group must have 4 or fewer digits", at: rest }
    if (digits === 0) return { message: "each colon-separated field must have at least one digit", at: rest }
    if (rest[digits] === ".") return this.readEmbedded()
    this.bytes += 2
    this.rest = rest.slice(digits)
    return this.rest === "" ? "end" : this.readColon()
  }

  /** The last two fields may be written as IPv4. */
  private readEmbedded(): Fault | "end" {
    const { rest } = this
    if (!this.hasEllipsis && this.bytes !== 12)
      return { message: "embedded IPv4 address must replace the final 2 fields of the address", at: rest }
    if (this.bytes > 12) return { message: "too many hex fields to fit an embedded IPv4 at the end of the address", at: rest }
    const fault = ipv4Fault(rest)
    if (fault) return fault
    this.bytes += 4
    this.rest = ""
    return "end"
  }

  private readColon(): Fault | "end" | undefined {
    if (!this.rest.startsWith(":")) return { message: "unexpected character, want colon", at: this.rest }
    if (this.rest.length === 1) return { message: "colon must be followed by more characters", at: this.rest }
    this.rest = this.rest.slice(1)
    if (!this.rest.startsWith(":")) return undefined
    if (this.hasEllipsis) return { message: "multiple :: in address", at: this.rest }
    this.hasEllipsis = true
    this.rest = this.rest.slice(1)
    return this.rest === "" ? "end" : undefined
  }
}
