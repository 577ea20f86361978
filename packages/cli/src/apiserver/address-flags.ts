import { firstServiceAddress, isIp } from "@pilothouse/apiserver"
import { messageOf, PilothouseError } from "@pilothouse/seams"

/** Not a name: what it stands for could change while a server runs. */
export function ipAddress(flag: string): (text: string) => string {
  return (text) => {
    if (isIp(text)) return text
    throw new PilothouseError("USAGE", `expected an IP address such as 127.0.0.1, 0.0.0.0 or ::1 for ${flag}, found "${text}"`)
  }
}

/** Upstream's, of the addresses in a range for Services. */
const minAddresses = 8

/** Parses --service-cluster-ip-range. Upstream takes two of them, one of each family, for dual stack. */
export function serviceRange(text: string): string {
  if (text.includes(",") || text.includes(":")) {
    const found = text.includes(",") ? "more than one: there is no dual stack here yet" : "one of IPv6, which is not here yet"
    const message = `--service-cluster-ip-range: expected one IPv4 range such as "10.96.0.0/12", found ${found} ("${text}"); give an IPv4 range alone`
    throw new PilothouseError("USAGE", message)
  }
  // Before it is read: some of these are too small to have a first address.
  const size = 2 ** (32 - Number(/^[\d.]+\/(\d+)$/.exec(text)?.[1] ?? 0))
  if (size >= 1 && size < minAddresses) {
    const message = `--service-cluster-ip-range: expected at least ${minAddresses} IP addresses, as upstream, found ${size} ("${text}"); give a range such as "10.96.0.0/12", or /29 at the least`
    throw new PilothouseError("USAGE", message)
  }
  try {
    firstServiceAddress(text)
    return text
  } catch (error) {
    throw new PilothouseError("USAGE", `--service-cluster-ip-range: ${messageOf(error)}`, { cause: error })
  }
}
