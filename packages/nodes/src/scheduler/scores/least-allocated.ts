import { cpuSlot, memorySlot } from "../cache/resource-slots.ts"
import { highestScore } from "./normalise.ts"
import type { Score } from "./score.ts"

/** The more cpu and memory is left the better, the pod counted in; containers that ask for nothing are guessed at. */
export const leastAllocated: Score = ({ pod }, fitting) =>
  fitting.map(({ allocatable, guessed }) => {
    const cpu = allocatable[cpuSlot] ?? 0
    const memory = allocatable[memorySlot] ?? 0
    const known = (cpu === 0 ? 0 : 1) + (memory === 0 ? 0 : 1)
    if (known === 0) return 0
    return Math.trunc((left(guessed[0] + pod.guessed[0], cpu) + left(guessed[1] + pod.guessed[1], memory)) / known)
  })

function left(requested: number, capacity: number): number {
  if (capacity === 0 || requested > capacity) return 0
  return Math.trunc(((capacity - requested) * highestScore) / capacity)
}
