import { descriptor } from "../descriptor.ts"
import { countFlag, durationFlag } from "../flag.ts"
import { endpointsController } from "./controller.ts"

export const endpointsDescriptor = descriptor({
  name: "endpoints-controller",
  aliases: ["endpoint"],
  flags: {
    "concurrent-endpoint-syncs": countFlag(5, "Services worked on at once"),
    "endpoint-updates-batch-period": durationFlag("0s", "how long changes of pods are gathered before Endpoints are written"),
  },
  create: (set) =>
    endpointsController({
      concurrentSyncs: set["concurrent-endpoint-syncs"],
      updatesBatchPeriod: set["endpoint-updates-batch-period"],
    }),
})
