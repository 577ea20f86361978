import type { NodeView } from "../cache/node-state.ts"
import { cpuSlot, memorySlot } from "../cache/resource-slots.ts"
import { highestScore } from "./normalise.ts"
import type { Score } from "./score.ts"

/**
 * Better where the pod brings the used parts of cpu and memory closer together: 75 when it changes nothing, up to 100 when it evens them out,
 * down to 50 when it does the opposite. A pod that asks for nothing changes nothing.
 */
export const balancedAllocation: Score = ({ pod }, fitting) => {
  const cpu = pod.requests[cpuSlot] ?? 0
  const memory = pod.requests[memorySlot] ?? 0
  if (cpu === 0 && memory === 0) return undefined
  return fitting.map((node) => {
    const change = balance(node, cpu, memory) - balance(node, 0, 0)
    return highestScore / 2 + Math.trunc((highestScore / 2 + change) / 2)
  })
}

/** Half the distance of two numbers is their standard deviation. */
function balance({ allocatable, requested }: NodeView, cpu: number, memory: number): number {
  const allocatableCpu = allocatable[cpuSlot] ?? 0
  const allocatableMemory = allocatable[memorySlot] ?? 0
  if (allocatableCpu === 0 || allocatableMemory === 0) return highestScore
  const cpuPart = Math.min(1, ((requested[cpuSlot] ?? 0) + cpu) / allocatableCpu)
  const memoryPart = Math.min(1, ((requested[memorySlot] ?? 0) + memory) / allocatableMemory)
  return Math.trunc((1 - Math.abs(cpuPart - memoryPart) / 2) * highestScore)
}
