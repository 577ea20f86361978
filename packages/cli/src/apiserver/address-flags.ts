import { firstServiceAddress, isIp } from "@pilothouse/apiserver"
import { messageOf, PilothouseError } from "@pilothouse/seams"

/** Not a name: what it stands for could change while a server runs. */
export function ipAddress(flag: string): (text: string) => string {
  return (text) => {
    if (isIp(text)) return text
    throw new PilothouseError("USAGE", `expected an IP address such as 127.0.0.1, 0.0.0.0 or ::1 for ${flag}, found "${text}"`)
  }
}

/** What is wrong with a range is said by who reads it. */
export function serviceRange(text: string): string {
  try {
    firstServiceAddress(text)
    return text
  } catch (error) {
    throw new PilothouseError("USAGE", `--service-cluster-ip-range: ${messageOf(error)}`, { cause: error })
  }
}
