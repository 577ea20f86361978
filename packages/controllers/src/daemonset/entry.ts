import { descriptor } from "../descriptor.ts"
import { countFlag } from "../flag.ts"
import { daemonSetController } from "./controller.ts"

export const daemonSetDescriptor = descriptor({
  name: "daemonset-controller",
  aliases: ["daemonset"],
  flags: {
    "concurrent-daemonset-syncs": countFlag(2, "DaemonSets worked on at once"),
  },
  create: (set, { metrics }) => daemonSetController({ metrics, concurrentSyncs: set["concurrent-daemonset-syncs"] }),
})
