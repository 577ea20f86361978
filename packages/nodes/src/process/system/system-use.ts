import { readdirSync, readFileSync } from "node:fs"
import type { ProcessUse } from "./spawn.ts"

/** Of Linux, for every program that reads /proc. */
const ticksPerSecond = 100

/** Returns what a process and its descendants have used so far. Undefined where there is no /proc, or it has ended. */
export function useOfTree(pid: number): ProcessUse | undefined {
  const own = useOf(pid)
  return own && childrenOf(pid).reduce((sum, child) => plus(sum, useOfTree(child)), own)
}

/** With what children had used that have ended and were waited for. */
function useOf(pid: number): ProcessUse | undefined {
  const text = read(`/proc/${pid}/stat`)
  // The name stands in parentheses, and may have some itself; of what follows the twelfth to the fifteenth are ticks of the CPU.
  const ticks = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15)
  if (ticks.length < 4) return undefined
  const [, kibibytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? []
  return { cpu: ticks.reduce((sum, some) => sum + Number(some), 0) / ticksPerSecond, memory: Number(kibibytes) * 1024 }
}

/** Of all its threads. */
function childrenOf(pid: number): readonly number[] {
  const tasks = `/proc/${pid}/task`
  return list(tasks).flatMap((task) => read(`${tasks}/${task}/children`).split(" ").filter(Boolean).map(Number))
}

function plus(one: ProcessUse, other: ProcessUse | undefined): ProcessUse {
  return other === undefined ? one : { cpu: one.cpu + other.cpu, memory: one.memory + other.memory }
}

/** Nothing of what has ended while we look. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
