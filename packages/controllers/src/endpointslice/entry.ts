import { descriptor } from "../descriptor.ts"
import { countFlag, durationFlag } from "../flag.ts"
import { endpointSliceController } from "./controller.ts"

export const endpointSliceDescriptor = descriptor({
  name: "endpointslice-controller",
  aliases: ["endpointslice"],
  flags: {
    "concurrent-service-endpoint-syncs": countFlag(5, "Services worked on at once"),
    "max-endpoints-per-slice": countFlag(100, "endpoints that one EndpointSlice holds"),
    "endpointslice-updates-batch-period": durationFlag("0s", "how long changes of pods are gathered before EndpointSlices are written"),
  },
  create: (set, { metrics }) =>
    endpointSliceController({
      metrics,
      concurrentSyncs: set["concurrent-service-endpoint-syncs"],
      maxEndpointsPerSlice: set["max-endpoints-per-slice"],
      updatesBatchPeriod: set["endpointslice-updates-batch-period"],
    }),
})
