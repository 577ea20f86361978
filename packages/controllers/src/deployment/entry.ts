import { descriptor } from "../descriptor.ts"
import { countFlag } from "../flag.ts"
import { deploymentController } from "./controller.ts"

export const deploymentDescriptor = descriptor({
  name: "deployment-controller",
  aliases: ["deployment"],
  flags: {
    "concurrent-deployment-syncs": countFlag(5, "Deployments worked on at once"),
  },
  create: (set) => deploymentController({ concurrentSyncs: set["concurrent-deployment-syncs"] }),
})
