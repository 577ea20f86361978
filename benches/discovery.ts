// npm run bench -- discovery: how quickly does a change reach every client, and what does it cost? Beside istiod, on one kube-apiserver and the same
// objects, one server after the other, with raw ADS clients that are the same for both.
import type { Bench } from "./bench.ts"
import { thousandStreams, twoThousandStreams } from "./discovery/crowd.ts"
import { besideNeighbour, defaults, withoutDebounce } from "./discovery/latency.ts"
import { moreServices, protocols } from "./discovery/scale.ts"
import { Stages } from "./discovery/stages.ts"
import { starts } from "./discovery/start.ts"

const stages = new Stages()

/** The cluster fills up from one to the next. */
export const questions: readonly Bench[] = [
  { name: "start, empty", run: async ({ peers }) => starts(await stages.empty(), { what: "empty", memoryGoal: 0.9, rounds: 4, peers }) },
  { name: "one client, defaults", run: async ({ peers }) => defaults(await stages.watched(), peers) },
  { name: "one client and a hundred, no debounce", run: async ({ peers }) => withoutDebounce(await stages.watched(), peers) },
  { name: "neighbour", run: async ({ peers }) => besideNeighbour(await stages.watched(), peers) },
  { name: "1,000 streams", run: async ({ peers }) => thousandStreams(await stages.watched(), peers) },
  { name: "2,000 streams", run: async () => twoThousandStreams(await stages.watched()) },
  { name: "state of the world against delta", run: async () => protocols(await stages.watched()) },
  {
    name: "start, 100 × 100",
    long: true,
    run: async ({ peers }) => starts(await stages.hundred(), { what: "100 Services × 100 pods", memoryGoal: 0.6, rounds: 3, peers }),
  },
  { name: "more services", long: true, run: () => moreServices(stages) },
]

export const finish = () => stages.close()
