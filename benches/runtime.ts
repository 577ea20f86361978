import type { Bench } from "./bench.ts"
import { bench as besideClientNode } from "./runtime/beside-client-node.ts"
import { bench as eventToHandler } from "./runtime/event-to-handler.ts"
import { bench as firstSync } from "./runtime/first-sync.ts"
import { bench as heapPerPod } from "./runtime/heap-per-pod.ts"
import { buildOwn, bench as installed } from "./runtime/installed.ts"
import { bench as queue } from "./runtime/queue.ts"

export const questions: readonly Bench[] = [queue, heapPerPod, firstSync, eventToHandler, besideClientNode, installed]

export const prepare = async (): Promise<void> => buildOwn()
