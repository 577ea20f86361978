import { descriptor } from "../descriptor.ts"
import { countFlag, durationFlag, numberFlag } from "../flag.ts"
import { nodeLifecycleController } from "./controller.ts"

export const nodeLifecycleDescriptor = descriptor({
  name: "node-lifecycle-controller",
  aliases: ["nodelifecycle"],
  flags: {
    "node-monitor-period": durationFlag("5s", "how soon a heartbeat of a node is noticed"),
    "node-monitor-grace-period": durationFlag("50s", "silence after which a node counts as lost"),
    "node-startup-grace-period": durationFlag("60s", "the same for a node that has never said whether it is ready"),
    "node-eviction-rate": numberFlag(0.1, "nodes of a zone that begin to lose their pods, a second"),
    "secondary-node-eviction-rate": numberFlag(0.01, "the same in a large zone that is partly down"),
    "large-cluster-size-threshold": countFlag(50, "a zone with more nodes is large; a small one that is partly down loses no pods", 0),
    "unhealthy-zone-threshold": numberFlag(0.55, "share of nodes (at least 3) that are not ready from which a zone is partly down"),
  },
  create: (set, { metrics }) =>
    nodeLifecycleController({
      metrics,
      monitorPeriod: set["node-monitor-period"],
      gracePeriod: set["node-monitor-grace-period"],
      startupGracePeriod: set["node-startup-grace-period"],
      evictionRate: set["node-eviction-rate"],
      secondaryEvictionRate: set["secondary-node-eviction-rate"],
      largeClusterSize: set["large-cluster-size-threshold"],
      unhealthyZoneThreshold: set["unhealthy-zone-threshold"],
    }),
})
