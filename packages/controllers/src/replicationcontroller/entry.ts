import { descriptor } from "../descriptor.ts"
import { countFlag } from "../flag.ts"
import { replicationControllerController } from "./controller.ts"

export const replicationControllerDescriptor = descriptor({
  name: "replicationcontroller-controller",
  aliases: ["replicationcontroller"],
  flags: {
    "concurrent-rc-syncs": countFlag(5, "ReplicationControllers worked on at once"),
  },
  create: (set, { metrics }) => replicationControllerController({ metrics, concurrentSyncs: set["concurrent-rc-syncs"] }),
})
