import { countFlag, textFlag } from "@pilothouse/runtime"
import { cloudDescriptor, needed } from "../cloud-descriptor.ts"
import { serviceController } from "./controller.ts"

export const serviceDescriptor = cloudDescriptor({
  name: "service-lb-controller",
  aliases: ["service"],
  flags: {
    "concurrent-service-syncs": countFlag(
      1,
      "load balancers that are worked on at once; one that the cloud takes long over does not count",
    ),
    "cluster-name": textFlag("kubernetes", "what this cluster is called in the cloud; two clusters on one cloud need two names"),
  },
  create: (set, { provider, clock, metrics }) =>
    serviceController({
      balancers: needed(provider, "loadBalancers", "load balancers"),
      clock,
      metrics,
      concurrentSyncs: set["concurrent-service-syncs"],
    }),
})
