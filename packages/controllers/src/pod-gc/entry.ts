import { descriptor } from "../descriptor.ts"
import { countFlag } from "../flag.ts"
import { podGcController } from "./controller.ts"

export const podGcDescriptor = descriptor({
  name: "pod-garbage-collector-controller",
  aliases: ["podgc"],
  flags: {
    "terminated-pod-gc-threshold": countFlag(12_500, "finished pods that may stay before the oldest are deleted; 0 keeps them all", 0),
  },
  create: (set, { metrics }) => podGcController({ metrics, terminatedPodThreshold: set["terminated-pod-gc-threshold"] }),
})
