import { preferredNodeScore, untoleratedTaint } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { NodeView } from "../cache/node-state.ts"
import { cpuSlot, memorySlot } from "../pod/resource-slots.ts"
import { maxNodeScore, normalizeScores } from "./normalize-scores.ts"
import type { Score } from "./score.ts"

/** The score of TaintToleration: nodes with taints of effect PreferNoSchedule come last, those with most such taints behind the others. */
export const preferredTaints: Score = ({ pod }, fitting) => {
  if (fitting.every(({ taints }) => taints.length === 0)) return undefined
  // Frozen, so that they are indexed once for all taints.
  const tolerations = Object.freeze([...(pod.pod.spec?.tolerations ?? [])])
  const counts = fitting.map(
    ({ taints }) =>
      taints.filter((taint) => taint.effect === "PreferNoSchedule" && untoleratedTaint([taint], tolerations) !== undefined).length,
  )
  return normalizeScores(counts, true)
}

/** The score of NodeAffinity: better where more weight of the pod's preferred node affinity matches. */
export const preferredNodes: Score = ({ pod }, fitting) => {
  const preferences = pod.pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  if (preferences.length === 0) return undefined
  return normalizeScores(fitting.map(({ node }) => preferredNodeScore(preferences, node)))
}

/** Bytes: images that are smaller together are pulled in no time, and beyond the most, for each container, one is as bad as the other. */
const min = 23 * 1024 * 1024
const maxForOne = 1000 * 1024 * 1024

/** The score of ImageLocality: better where the pod's images are already; one that few nodes have counts less, or all of its pods would go there. */
export const imageLocality: Score = ({ pod: { pod }, nodes }, fitting) => {
  if (fitting.every(({ images }) => images.size === 0)) return undefined
  const containers = imagesOf(pod)
  // Images that are volumes are pulled too, but do not raise what is most: as upstream.
  const wanted = [...containers, ...volumeImagesOf(pod)]
  const all = nodes.list().length
  const spread = wanted.map((image) => nodes.nodesWith(image) / all)
  const max = maxForOne * containers.length
  return fitting.map(({ images }) => {
    const bytes = wanted.reduce((sum, image, at) => sum + Math.trunc((images.get(image) ?? 0) * spread[at]!), 0)
    return Math.trunc((maxNodeScore * (Math.min(Math.max(bytes, min), max) - min)) / (max - min))
  })
}

function imagesOf({ spec }: Pod): readonly string[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ image = "" }) => withTag(image))
}

function volumeImagesOf({ spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ image }) => (image === undefined ? [] : [withTag(image.reference ?? "")]))
}

/** "web" is "web:latest"; a colon before the last slash is that of a port. */
function withTag(image: string): string {
  return image.lastIndexOf(":") > image.lastIndexOf("/") ? image : `${image}:latest`
}

/**
 * The score of NodeResourcesBalancedAllocation: better where the pod brings the used parts of cpu and memory closer together: 75 when it changes nothing, up to 100 when it evens them out,
 * down to 50 when it does the opposite. A pod that asks for nothing changes nothing.
 */
export const balancedAllocation: Score = ({ pod }, fitting) => {
  const cpu = pod.requests[cpuSlot] ?? 0
  const memory = pod.requests[memorySlot] ?? 0
  if (cpu === 0 && memory === 0) return undefined
  return fitting.map((node) => {
    const change = balance(node, cpu, memory) - balance(node, 0, 0)
    return maxNodeScore / 2 + Math.trunc((maxNodeScore / 2 + change) / 2)
  })
}

/** Half the distance of two numbers is their standard deviation. */
function balance({ allocatable, requested }: NodeView, cpu: number, memory: number): number {
  const allocatableCpu = allocatable[cpuSlot] ?? 0
  const allocatableMemory = allocatable[memorySlot] ?? 0
  if (allocatableCpu === 0 || allocatableMemory === 0) return maxNodeScore
  const cpuPart = Math.min(1, ((requested[cpuSlot] ?? 0) + cpu) / allocatableCpu)
  const memoryPart = Math.min(1, ((requested[memorySlot] ?? 0) + memory) / allocatableMemory)
  return Math.trunc((1 - Math.abs(cpuPart - memoryPart) / 2) * maxNodeScore)
}

/** The score of NodeResourcesFit with LeastAllocated: the more cpu and memory is left the better, the pod counted in; containers that ask for nothing are guessed at. */
export const leastAllocated: Score = ({ pod }, fitting) =>
  fitting.map(({ allocatable, nonZeroRequested }) => {
    const cpu = allocatable[cpuSlot] ?? 0
    const memory = allocatable[memorySlot] ?? 0
    const known = (cpu === 0 ? 0 : 1) + (memory === 0 ? 0 : 1)
    if (known === 0) return 0
    return Math.trunc(
      (left(nonZeroRequested[0] + pod.nonZeroRequests[0], cpu) + left(nonZeroRequested[1] + pod.nonZeroRequests[1], memory)) / known,
    )
  })

function left(requested: number, capacity: number): number {
  if (capacity === 0 || requested > capacity) return 0
  return Math.trunc(((capacity - requested) * maxNodeScore) / capacity)
}
