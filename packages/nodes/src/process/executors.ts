import { type CustomOperation, type Executor, executor, type PlanBuilder } from "@pilothouse/runtime"
import type { ProcessOrder } from "../kubelet/container/process-facts.ts"
import type { Processes } from "./processes.ts"

/** An order as a step of a plan. */
export type ProcessOperation = CustomOperation & { readonly order: ProcessOrder }

interface SweepOperation extends CustomOperation {
  readonly do: "sweep-processes"
  readonly node: string
  readonly there: readonly string[]
}

const why: Readonly<Record<ProcessOrder["do"], string>> = {
  "start-process": "it is its turn to start",
  "acknowledge-process": "its probes failed",
  "warn-process": "its pod is on its way out",
  "stop-process": "it has to end",
}

/** Returns the operation for an order about a process. */
export function orderOperation(order: ProcessOrder): ProcessOperation {
  const { namespace, name } = order.pod.metadata
  return { do: order.do, to: `the process of ${order.container} in pod ${namespace}/${name}`, reason: why[order.do], order }
}

/** Plans the end of processes whose pods are gone. */
export function sweepOperation(built: PlanBuilder, node: string, there: readonly string[]): PlanBuilder {
  const sweep: SweepOperation = {
    do: "sweep-processes",
    to: `processes on ${node}`,
    reason: "their pods are gone",
    node,
    there,
  }
  return built.operation(sweep)
}

/** Carries out what is planned for processes. */
export function processExecutors(processes: Processes): readonly Executor[] {
  return [
    executor<ProcessOperation>("start-process", ({ order }) => processes.start(order)),
    executor<ProcessOperation>("acknowledge-process", async ({ order }) => processes.acknowledge(order, "upTo" in order ? order.upTo : 0)),
    executor<ProcessOperation>("warn-process", async ({ order }) => processes.warn(order)),
    executor<ProcessOperation>("stop-process", async ({ order }) => processes.stop(order, "killAt" in order ? order.killAt : 0)),
    executor<SweepOperation>("sweep-processes", async ({ node, there }) => processes.sweep(node, (uid) => there.includes(uid))),
  ]
}
