import { defaultNodePorts, type PortRange } from "@pilothouse/apiserver"
import { PilothouseError } from "@pilothouse/seams"

const flag = "--service-node-port-range"
const highest = 65_535

/** "30000-32767", "30000+2767" or one port, as upstream reads it; nothing is the usual one. */
export function nodePortRange(text: string): PortRange {
  if (text.trim() === "") return defaultNodePorts
  const [, first = "", sign, second = ""] = /^(\d+)(?:([-+])(\d+))?$/.exec(text.trim()) ?? []
  const low = Number(first)
  const high = sign === undefined ? low : sign === "-" ? Number(second) : low + Number(second)
  if (first === "" || low === 0) {
    throw new PilothouseError("USAGE", `expected a range of ports such as "30000-32767" or "30000+2767" for ${flag}, found "${text}"`)
  }
  if (high > highest) throw new PilothouseError("USAGE", `expected ports up to ${highest} for ${flag}, found "${text}"`)
  if (high < low) throw new PilothouseError("USAGE", `expected an end that is not before the start for ${flag}, found "${text}"`)
  return { first: low, last: high }
}
