// Not in its index: this is what its own totals of nodes and pods are made with.
import { add, quantityToScalar } from "@kubernetes/client-node/dist/util.js"
import { addAmounts, formatQuantity, parseQuantity, zeroAmount } from "@pilothouse/api"
import type { Bench, Row } from "../bench.ts"
import { microseconds } from "./measure.ts"

export const quantities: Bench = {
  name: "what reading and adding quantities costs, beside @kubernetes/client-node",
  run: async () => rows(),
}

/** The mix of a cluster: cpu and memory, mostly short. */
const texts = ["100m", "250m", "1", "2", "500m", "64Mi", "128Mi", "256Mi", "1Gi", "4Gi", "110", "1500m", "512Ki", "16Gi", "8", "20M"]
const [cpu, memory] = [texts.filter((text) => !/[iM]$/.test(text)), texts.filter((text) => text.endsWith("i"))]

function rows(): readonly Row[] {
  return [
    microseconds({
      what: `${texts.length} quantities read (theirs: @kubernetes/client-node, as numbers that lose precision)`,
      ours: () => texts.map((text) => parseQuantity(text)),
      theirs: () => texts.map((text) => quantityToScalar(text)),
    }),
    microseconds({
      what: `${cpu.length} of cpu and ${memory.length} of memory read and added (theirs: @kubernetes/client-node)`,
      ours: () => [sum(cpu), sum(memory)],
      theirs: () => [theirSum(cpu), theirSum(memory)],
    }),
    microseconds({ what: `${memory.length} of memory read, added and written`, ours: () => formatQuantity(sum(memory)) }),
  ]
}

function sum(list: readonly string[]) {
  return list.reduce((total, text) => addAmounts(total, parseQuantity(text)), zeroAmount)
}

function theirSum(list: readonly string[]): number | bigint {
  return list.reduce<number | bigint>((total, text) => add(total, quantityToScalar(text)), 0)
}
