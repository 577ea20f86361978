import { durationFlag } from "@pilothouse/runtime"
import { cloudDescriptor, needed } from "../cloud-descriptor.ts"
import { cloudNodeLifecycleController } from "./controller.ts"

export const cloudNodeLifecycleDescriptor = cloudDescriptor({
  name: "cloud-node-lifecycle-controller",
  aliases: ["cloud-node-lifecycle"],
  flags: {
    "node-monitor-period": durationFlag("5s", "how often a node that is not Ready is looked at"),
  },
  create: (set, { provider, clock }) =>
    cloudNodeLifecycleController({
      instances: needed(provider, "instances", "instances"),
      clock,
      monitorPeriod: set["node-monitor-period"],
    }),
})
