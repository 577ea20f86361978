import { countFlag, durationFlag } from "@pilothouse/runtime"
import { cloudDescriptor, needed } from "../cloud-descriptor.ts"
import { cloudNodeController } from "./controller.ts"

export const cloudNodeDescriptor = cloudDescriptor({
  name: "cloud-node-controller",
  aliases: ["cloud-node"],
  flags: {
    "concurrent-node-syncs": countFlag(1, "nodes that the cloud is asked about at once; one that it takes long over does not count"),
    "node-status-update-frequency": durationFlag("5m", "how often the cloud is asked for the addresses of a node"),
  },
  create: (set, { provider, clock, metrics }) =>
    cloudNodeController({
      instances: needed(provider, "instances", "instances"),
      clock,
      metrics,
      concurrentSyncs: set["concurrent-node-syncs"],
      statusUpdateFrequency: set["node-status-update-frequency"],
    }),
})
