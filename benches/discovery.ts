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
  { name: "start, empty", run: async () => starts(await stages.empty(), "empty", 0.9, 4) },
  { name: "one client, defaults", run: async () => defaults(await stages.watched()) },
  { name: "one client and a hundred, no debounce", run: async () => withoutDebounce(await stages.watched()) },
  { name: "neighbour", run: async () => besideNeighbour(await stages.watched()) },
  { name: "1,000 streams", run: async () => thousandStreams(await stages.watched()) },
  { name: "2,000 streams", run: async () => twoThousandStreams(await stages.watched()) },
  { name: "state of the world against delta", run: async () => protocols(await stages.watched()) },
  { name: "start, 100 × 100", run: async () => starts(await stages.hundred(), "100 Services × 100 pods", 0.6, 3) },
  { name: "more services", run: () => moreServices(stages) },
]

export const finish = () => stages.close()
