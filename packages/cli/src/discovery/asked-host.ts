import { parseIp } from "@pilothouse/api/net"
import { parseQuestion, type Question, type Service } from "@pilothouse/discovery"
import { PilothouseError } from "@pilothouse/seams"

const anAddress = "an IP address such as 10.244.1.3 or fd00::3"

/** "web.shop.svc.cluster.local:80", or a leading part of the name, and perhaps an address. Refuses what can be neither, before a server is asked. */
export function askedHost(host: string, address?: string): Question {
  const { hostname: said, port } = parseQuestion(host, address)
  // As DNS has it: no letter is a capital, and a name that is whole may end with a dot.
  const hostname = said.toLowerCase().replace(/\.$/, "")
  if (!/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(hostname))
    throw new PilothouseError("USAGE", `expected a host such as web.default or web.default:80, found "${host}"`)
  if (port !== undefined && (port < 1 || port > 65_535))
    throw new PilothouseError("USAGE", `expected a port from 1 to 65535 behind the host, found "${host}"`)
  if (address !== undefined && !isIpAddress(address) && !isOutsideName(address)) throw notAnAddress(address)
  return { ...parseQuestion(host, address), hostname }
}

/** The address of an ExternalName is a name; of any other service one is a slip of the hand. */
export function refuseName({ address }: Question, service: Service): void {
  if (address !== undefined && !isIpAddress(address) && service.externalName === undefined) throw notAnAddress(address)
}

/** "api.example.com", and not "10.0.0.999", which is no valid name. */
function isOutsideName(text: string): boolean {
  return /^([a-z0-9_-]+\.)+[a-z][a-z0-9-]*\.?$/i.test(text)
}

function notAnAddress(found: string): PilothouseError {
  const [, address, port] = /^\[?(.*?)\]?:(\d+)$/.exec(found) ?? []
  const isBoth = address !== undefined && isIpAddress(address)
  const hint = isBoth ? `; a port stands behind the host: web.default:${port} ${address}` : ""
  return new PilothouseError("USAGE", `expected ${anAddress} behind the host, found "${found}"${hint}`)
}

function isIpAddress(text: string): boolean {
  return parseIp(text) !== undefined
}
