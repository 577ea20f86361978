import type { PriorityLevelConfiguration } from "@pilothouse/api/flowcontrol/v1"
import { autoupdated } from "./flow-schemas.ts"

/** Out of how many, and how a request waits for its turn: in one of so many queues, of which a client may use a hand. */
interface Level {
  readonly shares: number
  readonly lendable: number
  readonly queues: number
  readonly hand: number
}

const levels: Readonly<Record<string, Level>> = {
  system: { shares: 30, lendable: 33, queues: 64, hand: 6 },
  "node-high": { shares: 40, lendable: 25, queues: 64, hand: 6 },
  "leader-election": { shares: 10, lendable: 0, queues: 16, hand: 4 },
  "workload-high": { shares: 40, lendable: 50, queues: 128, hand: 6 },
  "workload-low": { shares: 100, lendable: 90, queues: 128, hand: 6 },
  "global-default": { shares: 20, lendable: 50, queues: 128, hand: 6 },
}

/** The mandatory and the suggested levels, as in 1.36. This server does not queue requests by them: clients read and change them. */
export const priorityLevels: readonly PriorityLevelConfiguration[] = [
  level("exempt", { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  level("catch-all", {
    type: "Limited",
    limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 },
  }),
  ...Object.entries(levels).map(([name, { shares, lendable, queues, hand }]) =>
    level(name, {
      type: "Limited",
      limited: {
        nominalConcurrencyShares: shares,
        limitResponse: { type: "Queue", queuing: { queues, handSize: hand, queueLengthLimit: 50 } },
        lendablePercent: lendable,
      },
    }),
  ),
]

function level(name: string, spec: PriorityLevelConfiguration["spec"]): PriorityLevelConfiguration {
  return {
    kind: "PriorityLevelConfiguration",
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    metadata: { name, generation: 1, annotations: autoupdated },
    spec,
    status: {},
  }
}
